// What a file gets for <cub/cub.cuh> that names nothing of the whole GPU's (translate.py): it is built faster.
#pragma once
#include "collectives.cuh"
