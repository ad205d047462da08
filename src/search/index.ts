// A full-text index of each project's files and commits, from which the ranking takes its words.
export { createLexicons } from './lexicons.ts';
