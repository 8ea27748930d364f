/* The error for a path that is no known dataset. */
#ifndef DATASETS_SUGGEST_YAML_H
#define DATASETS_SUGGEST_YAML_H

/* For a folder of clouds the message has the YAML that would make it a dataset. */
int suggest_yaml(const char *path);

#endif
