// The same user in C++17.
#include <gelatto.hpp>

int main()
{
    return gelatto::config().set("preset", "tiny").value("preset") == "tiny" ? 0 : 1;
}
