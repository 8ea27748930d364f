/* Optimal string alignment distance with three rows: see suggest.h. */
#include "core/suggest.h"

#include <string.h>

enum { LONGEST = 63 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

int suggest_distance(const char *a, const char *b)
{
    int row[3][LONGEST + 1];
    int na = (int)strnlen(a, LONGEST), nb = (int)strnlen(b, LONGEST);
    for (int j = 0; j <= nb; j++)
        row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3], *last = row[(i - 1) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int replace = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = least(replace, least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[na % 3][nb];
}
