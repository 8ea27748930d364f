// The same user in C++17.
#include <cstring>
#include <gelatto.h>

int main()
{
    glt_option option{};
    return glt_option_count() > 0 && glt_option_at(0, &option) == 0 && std::strlen(option.key) > 0
               ? 0
               : 1;
}
