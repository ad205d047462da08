// The checks of a commit as GitHub has them.
export { createChecks } from './create-checks.ts';
export { ACTIONS, isRedConclusion, listLatestChecks } from './list-checks.ts';
export { readAnnotations } from './read-words.ts';
