/* Entropy and saturation of the attention of a network: see attention.h. */
#include "model/attention.h"

#include "core/error.h"
#include "model/network.h"
#include "nn/plan.h"

static const double UNIFORM = 0.98, SATURATED = 0.2;

void attention_start(struct glt_attention rows[GLT_ATTENTION_ROWS])
{
    static const char *const heads[] = {"geometric", "latent"};
    for (int i = 0; i < GLT_ATTENTION_ROWS; i++)
        rows[i] =
            (struct glt_attention){sizeof *rows, i / 4 + 1, i / 2 % 2 + 1, heads[i % 2], 0, 0, 0};
}

void attention_add(struct glt_attention *row, double entropy, double saturation)
{
    double n = (double)++row->centres;
    row->entropy += (entropy - row->entropy) / n;
    row->saturation += (saturation - row->saturation) / n;
}

void attention_add_pass(struct glt_attention rows[GLT_ATTENTION_ROWS], const struct engine *e)
{
    const struct network *n = engine_network(e);
    for (int i = 0; i < GLT_ATTENTION_ROWS; i++) {
        const struct tensor *x = n->statistics[i / 2][i % 2];
        int64_t centres = x ? rows_of(n->plan, x) : 0;
        for (int64_t j = 0; j < centres; j++) {
            const real *row = x->x + j * x->ld;
            if (row[1] >= 0) /* else too few neighbours; rounding may put an entropy below 0 */
                attention_add(&rows[i], (double)row[0], (double)row[1]);
        }
    }
}

struct json *attention_to_json(const struct glt_attention rows[GLT_ATTENTION_ROWS])
{
    struct json *list = json_array();
    int code = list ? 0 : GLT_ENOMEM;
    for (int i = 0; code == 0 && i < GLT_ATTENTION_ROWS; i++) {
        const struct glt_attention *r = &rows[i];
        if (r->centres > 0)
            code = json_append(list,
                               json_pack("{s:i, s:i, s:s, s:I, s:f, s:f}", "level", r->level,
                                         "block", r->block, "head", r->head, "centres", r->centres,
                                         "entropy", r->entropy, "saturation", r->saturation));
    }
    if (code == 0)
        return list;
    json_free(list);
    return NULL;
}

/* Appends "name in 3 of 16 heads, at levels 1 4", counting heads per block, if there are any. */
static void count_rows(struct string *text, const char *name, const bool flagged[],
                       const struct glt_attention *rows)
{
    int n = 0, all = 0, last = 0, levels = 0;
    for (int i = 0; i < GLT_ATTENTION_ROWS; i++) {
        all += rows[i].centres > 0;
        n += flagged[i];
        levels += flagged[i] && rows[i].level != last;
        last = flagged[i] ? rows[i].level : last;
    }
    if (!n)
        return;
    string_add(text, "%s%s in %d of %d heads, at level", text->len ? "; " : "", name, n, all);
    string_add(text, "%s", string_plural(levels));
    for (int level = 1; level <= 4; level++) {
        bool any = false;
        for (int i = 4 * level - 4; i < 4 * level; i++)
            any = any || flagged[i];
        if (any)
            string_add(text, " %d", level);
    }
}

void attention_describe(struct string *text, const struct glt_attention rows[GLT_ATTENTION_ROWS],
                        bool uniform)
{
    bool even[GLT_ATTENTION_ROWS], sharp[GLT_ATTENTION_ROWS];
    for (int i = 0; i < GLT_ATTENTION_ROWS; i++) {
        even[i] = uniform && rows[i].centres > 0 && rows[i].entropy > UNIFORM;
        sharp[i] = rows[i].centres > 0 && rows[i].saturation > SATURATED;
    }
    count_rows(text, "saturated (one weight above 0.99 in more than 20 % of the scores)", sharp,
               rows);
    count_rows(text, "uniform (entropy above 0.98 of that of a mean)", even, rows);
}
