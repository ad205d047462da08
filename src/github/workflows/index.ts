// Workflow files of GitHub Actions: what starts them, and which rights their jobs have.
export { isShownAs, readWorkflow, type WrittenJob } from './read-workflow.ts';
