/** Flags of Node.js with which bin/vimana starts `vimana up` and `vimana simulate`. */
export const UP_FLAGS = ['--max-semi-space-size=128', '--no-lazy-feedback-allocation', '--no-memory-reducer'];
