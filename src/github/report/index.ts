// An issue, a pull request or a command on it as a report.

export { type CommentCommand, mayHaveCommand, parseCommand } from './command.ts';
export type { GatherDeps } from './gather-deps.ts';
export { gatherIssueReport, gatherPullRequestReport, type IssueComment } from './gather-report.ts';
export type { KnownCommand } from './known-command.ts';
