// GitHub's API: tokens, limits, failures, pages, and the payloads that it sends.
export { createGithubClients, gitCredentials } from './create-github-clients.ts';
export { FORBIDDEN } from './failures.ts';
export {
  type AppIdentity,
  findGithubFailure,
  type GithubCaller,
  type GithubClients,
  GithubFailure,
  isFinal,
  ReadsSpent,
  sendUnwatched,
  unsureFailure,
  type WatchCall,
} from './github-clients.ts';
export { downloadArtifact, explainNoLog, readCheckLog, readJobLog, readLogOrReason } from './job-log.ts';
export type { OctokitOptions } from './octokit.ts';
export {
  CHECK_NAME,
  type CommentPayload,
  type GithubUser,
  type IssuePayload,
  isBot,
  isOurs,
  isOwnCheck,
  toPerson,
  toUser,
} from './payloads.ts';
export { comparePermissions, type Granted, toGranted } from './permissions.ts';
export { createPersonalClient, type GithubOptions, type PersonalClient } from './personal-client.ts';
export {
  ignoreRefused,
  ignoreUnknown,
  openRepository,
  type Pages,
  type RepositoryCaller,
  readPages,
  recoverFrom,
  unlessSpent,
} from './repository.ts';
export { createTokenClients, describeAllowance } from './token-clients.ts';
