/* Numbers of classes in the files a model was trained from: see numbers.c. */
#ifndef MODEL_CLASS_NUMBERS_H
#define MODEL_CLASS_NUMBERS_H

#include "core/json.h"
#include "model/model.h"

/* The first of a class in the list is its first; GLT_EARGUMENT where a number is given twice. */
int model_set_numbers(struct model *m, const struct class_number *list, int32_t n);
/* The class of a label of the files; -1 if it is none's. */
int32_t model_number_class(const struct model *m, int32_t number);

/* --- for model files --- */
json_t *numbers_json(const struct model *m, int32_t class); /* NULL: out of memory */
int numbers_read(struct model *m, const json_t *classes, const char *file);

#endif
