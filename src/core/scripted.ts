// A model whose answers are read from a script.

/** Its name in an Issue. What it found is an example, and the pages say so. */
export const SCRIPTED_MODEL = 'scripted';
