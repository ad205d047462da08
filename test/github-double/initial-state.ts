// The state with which the double starts: nobody but the App under test and its owner.
import type { AppOptions } from './people/accounts.ts';
import type { EventSink, State } from './state.ts';
import type { Clock, Urls } from './state-beside.ts';

/** What the App of the product asks for. */
export const DEFAULT_APP: AppOptions = {
  slug: 'causeway',
  owner: 'octo',
  permissions: {
    metadata: 'read',
    contents: 'write',
    issues: 'write',
    pull_requests: 'write',
    checks: 'write',
    actions: 'read',
    statuses: 'read',
  },
  events: [
    'check_run',
    'check_suite',
    'issue_comment',
    'issues',
    'label',
    'pull_request',
    'pull_request_review',
    'push',
    'repository',
    'status',
    'create',
    'delete',
  ],
};

export function startState({ urls, folder, sink }: { urls: Urls; folder: string; sink: EventSink }): State {
  // GitHub's numbers are large and never given twice.
  let last = 90_000;
  return {
    urls,
    clock: clock(),
    nextId: () => {
      last += 1;
      return last;
    },
    folder,
    accounts: new Map(),
    apps: new Map(),
    installations: new Map(),
    repositories: new Map(),
    redirects: new Map(),
    tokens: new Map(),
    attachments: new Map(),
    sink,
  };
}

function clock(): Clock {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
  };
}
