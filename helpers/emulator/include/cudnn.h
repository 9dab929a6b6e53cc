// cuDNN is not on the CPU emulator: this header lets a file include it, and what is used of it does not compile.
#pragma once
