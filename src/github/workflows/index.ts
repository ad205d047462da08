// Workflow files of GitHub Actions: what starts them, which rights their jobs have, and what a branch of ours would start.
export { judgeStarts, type StartQuestion } from './judge-starts.ts';
export { isShownAs, readWorkflow, type WrittenJob } from './read-workflow.ts';
