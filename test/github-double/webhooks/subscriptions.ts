// Which App hears of an event: the one whose installation it concerns, if it subscribed to it and was granted what it takes.
import type { App, Installation, State } from '../state.ts';

/** Sent to every App without being asked for. */
const ALWAYS = ['installation', 'installation_repositories', 'installation_target', 'github_app_authorization', 'ping'];

/** The permission (read) without which GitHub does not let an App subscribe; one of several is enough. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  issues: ['issues'],
  issue_comment: ['issues', 'pull_requests'],
  label: ['issues', 'metadata'],
  check_run: ['checks'],
  check_suite: ['checks'],
  workflow_run: ['actions'],
  workflow_job: ['actions'],
  status: ['statuses'],
  pull_request: ['pull_requests'],
  pull_request_review: ['pull_requests'],
  pull_request_review_comment: ['pull_requests'],
  push: ['contents'],
  merge_group: ['merge_queues'],
  create: ['contents'],
  delete: ['contents'],
  repository: ['metadata'],
  public: ['metadata'],
  member: ['members', 'metadata'],
};

export interface Hearer {
  readonly app: App;
  readonly installationId: number | null;
}

/** Null: nobody hears of it. An event with neither installation nor App in it is for the only App, if there is one. */
export function hearerOf(state: State, event: string, payload: object, installationId: number | null): Hearer | null {
  const named = (payload as { installation?: { id?: number; app_id?: number } }).installation;
  const installation = state.installations.get(installationId ?? named?.id ?? 0);
  const app = state.apps.get(installation?.appId ?? named?.app_id ?? onlyApp(state));
  if (app === undefined) return null;
  const hearer = { app, installationId: installationId ?? named?.id ?? null };
  if (ALWAYS.includes(event)) return hearer;
  return installation !== undefined && hears(installation, event) ? hearer : null;
}

/** What counts is what the installation was granted, which can be less than the App asks for by now. */
function hears({ events, permissions, suspendedAt }: Installation, event: string): boolean {
  if (suspendedAt !== null) return false;
  const needed = NEEDED[event];
  if (needed === undefined) throw new Error(`The GitHub double does not know which permission "${event}" takes.`);
  const isGranted = needed.some((permission) => permissions[permission] !== undefined);
  // Whoever may write checks hears of them without a subscription.
  const isImplied = (event === 'check_run' || event === 'check_suite') && permissions['checks'] === 'write';
  return isGranted && (isImplied || events.includes(event));
}

function onlyApp({ apps }: State): number {
  return apps.size === 1 ? ([...apps.keys()][0] ?? 0) : 0;
}
