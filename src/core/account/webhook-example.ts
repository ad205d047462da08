// Made-up content for each type of webhook, with which a subscription is tried out.
import type { FailureView } from '../check/index.ts';
import type { Issue } from '../issue/index.ts';
import type { Proof } from '../proof/index.ts';
import type { FailedInvestigation, PullRequestEvent, WebhookContent, WebhookType } from './webhook.ts';

const NONE = '0'.repeat(20);
const SHA = '0'.repeat(40);
const AT = '2026-01-01T00:00:00.000Z';
const IDS = { projectId: `prj_${NONE}`, investigationId: `inv_${NONE}`, issueId: `iss_${NONE}` } as const;

const ISSUE: Issue = {
  id: IDS.issueId,
  projectId: IDS.projectId,
  problem: 'Example: the total of an empty cart is NaN',
  rootCause:
    'This is an example: `total` divides by the number of items, which is 0 for an empty cart. Nothing was investigated.',
  stepsToReproduce: [{ stepNumber: 1, description: 'Ask for the total of an empty cart.' }],
  solutionSteps: [{ stepNumber: 1, description: 'Return 0 where there are no items.' }],
  diff: { files: [] },
  investigationSteps: [],
  createdAt: AT,
  analysis: {
    investigationId: IDS.investigationId,
    reference: 'example',
    origin: 'api',
    report: 'An example.',
    revision: SHA,
    outcome: 'code_fix',
    partial: false,
    reason: '',
    verdict: null,
    confidence: 0.9,
    suspects: [],
    ownership: null,
    context: [],
    citations: [],
    guards: [],
    questions: [],
    claims: [],
    sameAs: null,
    model: null,
    usage: { turns: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0, seconds: 0 },
    secondLook: null,
    links: { comment: null, checkRun: null, pullRequest: null },
    proof: null,
    outcomes: null,
  },
};

const FAILED: FailedInvestigation = {
  investigationId: IDS.investigationId,
  projectId: IDS.projectId,
  reference: 'example',
  reason: { code: 'cancelled', detail: 'This is an example: nothing was investigated.' },
};

const SEEN: FailureView['firstSeen'] = {
  sha: SHA,
  branch: 'main',
  pullRequest: null,
  checkName: 'test',
  verdict: 'inconclusive',
  at: AT,
};

const FAILURE: FailureView = {
  id: `fal_${NONE}`,
  projectId: IDS.projectId,
  headline: 'Example: expected 0 to be NaN',
  state: 'open',
  opening: 1,
  isOnDefault: true,
  hits: 1,
  flakyHits: 0,
  firstSeen: SEEN,
  lastSeen: SEEN,
  checkNames: ['test'],
  branches: ['main'],
  pullRequests: [],
  investigationId: null,
  closed: null,
  range: null,
};

const PULL_REQUEST: PullRequestEvent = {
  projectId: IDS.projectId,
  issueId: IDS.issueId,
  number: 1,
  url: 'https://github.com/example/example/pull/1',
  state: 'open',
  branch: 'causeway/example',
  base: 'main',
  proof: null,
};

const RUN = { url: 'https://github.com/example/example/actions/runs/1', at: AT };

const PROOF: Proof = {
  state: 'proven',
  base: SHA,
  testCommit: SHA,
  fixCommit: SHA,
  diffHash: '',
  reason: '',
  checks: [{ name: 'test', red: RUN, green: RUN }],
  turned: ['the total of an empty cart is 0'],
};

/** Its ids are those of nothing. */
export function createExample(type: WebhookType): WebhookContent {
  switch (type) {
    case 'issue.created':
      return { type, data: ISSUE };
    case 'issue.failed':
      return { type, data: FAILED };
    case 'failure.closed':
      return { type, data: { ...FAILURE, state: 'closed', closed: { sha: SHA, at: AT, by: 'green' } } };
    case 'failure.opened':
    case 'failure.regressed':
      return { type, data: FAILURE };
    case 'pull_request.merged':
      return { type, data: { ...PULL_REQUEST, state: 'merged' } };
    case 'pull_request.closed':
      return { type, data: { ...PULL_REQUEST, state: 'closed' } };
    case 'pull_request.opened':
      return { type, data: PULL_REQUEST };
    case 'pull_request.proven':
      return { type, data: { ...PULL_REQUEST, proof: PROOF } };
  }
}
