/* Does everything wrong that tests/alloc/run looks for, each at its own request; its self-test
 * wants every one found. Undisturbed it writes the file "out" and prints "done". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static int fail(const char *message)
{
    fprintf(stderr, "bad: %s\n", message);
    return 1;
}

static int misbehave(int request)
{
    static void *volatile lost;
    switch (request) {
    case 1:
        abort();
    case 2:
        return 2; /* not the exit code of a failure */
    case 3:
        lost = malloc(10);
        lost = NULL;
        return lost ? 0 : fail("out of memory, and a leak");
    case 4: {
        volatile size_t behind = 10; /* volatile: the compiler must not help */
        volatile char *block = malloc(10);
        if (block)
            block[behind] = 1;
        free((void *)block);
        return fail("out of memory, and damage");
    }
    case 5:
        write_file("out", "do");
        return fail("out of memory, and a partial output");
    case 6:
        write_file("out.tmp-1-0", "");
        return fail("out of memory, and a temporary file");
    case 7:
        return fail("the file is damaged");
    case 8:
        puts("a result");
        return fail("out of memory, and a result");
    case 9:
        puts("another result");
        write_file("out", "done");
        return 0;
    case 10:
        puts("done");
        return 0; /* without the file */
    default:
        return fail("out of memory");
    }
}

int main(void)
{
    static char buffer[BUFSIZ]; /* stdio asks for none */
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (int request = 1; request <= 11; request++) {
        void *volatile block = malloc(100);
        if (!block)
            return misbehave(request);
        free(block);
    }
    puts("done");
    write_file("out", "done");
    return 0;
}
