// What is written to GitHub: comments, check runs, branches and pull requests, decided from the state there.

export { isRemoved } from './decide.ts';
export { decideCheckRun, loadCheckRunView, readButton, type WantedCheckRun } from './decide-check-run.ts';
export { type BranchHead, createGithubWriter } from './github-writer.ts';
export { digestOf, readMarker } from './marker.ts';
export { isOurBranch } from './open-pull-request.ts';
export { createCheckRunHandler } from './publish-check-run.ts';
export { createPublishJob, runLater } from './publish-job.ts';
export { createKnownHandler } from './publish-known-issue.ts';
export { createPutBackHandler } from './publish-put-back.ts';
export { createPublishHandler } from './publish-thread.ts';
export { listChangedFiles, measureWait, NO_WORDS, readHalf, readRedHalf, toGreenCheck } from './read-halves.ts';
export { getNumber, isObserved, loadIssue, type PublishDeps } from './view.ts';
