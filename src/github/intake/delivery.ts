// The raw body of a delivery: its signature and content, which deliveries are used, and which repeat another one.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Urgency } from '../../core/queue.ts';

export type DeliveryPayload = Readonly<Record<string, unknown>>;

/** GitHub's own bodies nest some ten levels. */
const MAX_DEPTH = 64;

/**
 * The digest of a well-formed X-Hub-Signature-256; null where it is absent, doubled (joined by ", ") or malformed.
 * SHA-1 is not enough.
 */
export function readSignature(headers: Headers): Buffer | null {
  const digits = /^sha256=([0-9a-f]{64})$/.exec(headers.get('X-Hub-Signature-256') ?? '')?.[1];
  return digits === undefined ? null : Buffer.from(digits, 'hex');
}

/** All secrets are tried, so that the time taken reveals nothing. */
export function isSignedByOne(bytes: Uint8Array, signature: Buffer, secrets: readonly string[]): boolean {
  const matches = secrets
    .filter((secret) => secret !== '')
    .map((secret) => timingSafeEqual(createHmac('sha256', secret).update(bytes).digest(), signature));
  return matches.includes(true);
}

/** Null for everything but an object in valid UTF-8 of a sane depth, without a member that reaches a prototype. */
export function parseDelivery(bytes: Uint8Array): { readonly text: string; readonly payload: DeliveryPayload } | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const payload: unknown = JSON.parse(text);
    return isRecord(payload) && isSane(payload, MAX_DEPTH) ? { text, payload } : null;
  } catch {
    return null;
  }
}

export function isRecord(value: unknown): value is DeliveryPayload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSane(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0 || Object.hasOwn(value, '__proto__')) return false;
  return Object.values(value).every((member) => isSane(member, levels - 1));
}

type DeliveryKind =
  /** Known, and nothing that we act on. */
  | { readonly kind: 'ignored' }
  /** The body is not one of the event that the header names. */
  | { readonly kind: 'misfit' }
  | {
      readonly kind: 'used';
      readonly group: string;
      /** Milliseconds within which equal bodies are one delivery; null: for as long as deliveries are kept. */
      readonly sameWithinMs: number | null;
      /** Handled at once, even while all others wait. */
      readonly isUrgent: boolean;
      readonly urgency: Urgency;
      /** GitHub's number; null: the body names none. */
      readonly installationId: number | null;
    };

interface UsedEvent {
  /** Null: the event has no actions. */
  readonly actions: readonly string[] | null;
  /** Members that are objects in every body of this event. */
  readonly objects: readonly string[];
  /** Members that say what a body of this event is about, apart from the objects. */
  readonly own?: readonly string[];
}

/** Only these are stored. What is handled is registered in `events/`. */
export const USED_EVENTS: Readonly<Record<string, UsedEvent>> = {
  issues: {
    actions: ['labeled', 'unlabeled', 'closed', 'reopened', 'deleted', 'transferred'],
    objects: ['issue', 'repository', 'sender'],
    own: ['label', 'milestone', 'assignee'],
  },
  issue_comment: { actions: ['created'], objects: ['issue', 'comment', 'repository', 'sender'] },
  pull_request: {
    actions: ['opened', 'closed', 'reopened', 'synchronize', 'ready_for_review', 'edited'],
    objects: ['pull_request', 'repository', 'sender'],
    own: ['label', 'milestone', 'assignee', 'before', 'after'],
  },
  check_suite: { actions: ['completed', 'rerequested'], objects: ['check_suite', 'repository', 'sender'] },
  check_run: {
    actions: ['completed', 'requested_action', 'rerequested'],
    objects: ['check_run', 'repository', 'sender'],
  },
  status: { actions: null, objects: ['commit', 'repository', 'sender'], own: ['sha', 'context', 'state'] },
  push: { actions: null, objects: ['repository', 'pusher'], own: ['ref', 'before', 'after', 'commits', 'head_commit'] },
  installation: {
    actions: ['created', 'deleted', 'suspend', 'unsuspend', 'new_permissions_accepted'],
    objects: ['installation', 'sender'],
    own: ['repositories'],
  },
  installation_repositories: {
    actions: ['added', 'removed'],
    objects: ['installation', 'sender'],
    own: ['repositories_added', 'repositories_removed'],
  },
  installation_target: { actions: ['renamed'], objects: ['account', 'installation'], own: ['target_type'] },
  repository: {
    actions: ['renamed', 'transferred', 'deleted', 'archived', 'unarchived', 'publicized', 'privatized', 'edited'],
    objects: ['repository', 'sender'],
  },
  github_app_authorization: { actions: ['revoked'], objects: ['sender'] },
};

/** Members that belong to some event: a body that has one of another event was sent under a wrong name. */
const SUBJECTS = [
  ...['account', 'after', 'alert', 'answer', 'assignee', 'before', 'blocked_user', 'branch', 'build', 'check_run'],
  ...['check_suite', 'client_payload', 'comment', 'commit', 'commit_oid', 'commits', 'context', 'definition'],
  ...['deployment', 'deployment_status', 'discussion', 'forkee', 'head_commit', 'hook', 'inputs', 'invitation'],
  ...['issue', 'key', 'label', 'marketplace_purchase', 'member', 'membership', 'merge_group', 'milestone'],
  ...['old_answer', 'package', 'pages', 'parent_issue', 'personal_access_token_request', 'project', 'project_card'],
  ...['project_column', 'projects_v2', 'projects_v2_item', 'projects_v2_status_update', 'pull_request', 'ref'],
  ...['ref_type', 'registry_package', 'release', 'repositories', 'repositories_added', 'repositories_removed'],
  ...['repository', 'repository_advisory', 'repository_ruleset', 'review', 'reviewers', 'rule', 'scope'],
  ...['security_advisory', 'sha', 'sponsorship', 'starred_at', 'state', 'status', 'sub_issue', 'target_type', 'team'],
  ...['thread', 'user', 'workflow', 'workflow_job', 'workflow_run', 'zen'],
];

/**
 * The same bytes may come again on purpose: a button pressed twice, an authorization given and revoked again. Ending
 * access twice costs nothing, while a revocation that is taken for the one before would leave a person signed in.
 */
const SAME_WITHIN_MS: Readonly<Record<string, number>> = {
  'check_run.requested_action': 60_000,
  'check_run.rerequested': 60_000,
  'check_suite.rerequested': 60_000,
  'github_app_authorization.revoked': 1_000,
};

/**
 * Revoked access ends within the minute, even while every other delivery waits for GitHub. It needs no call to GitHub.
 */
const URGENT: ReadonlySet<string> = new Set(['github_app_authorization']);

/**
 * Caused by machines, in floods. Everything about one issue or pull request counts as people's, so that it keeps its
 * order.
 */
const AUTOMATIC: ReadonlySet<string> = new Set(['check_suite', 'check_run', 'status', 'push']);

/** `event` as the header names it, any text. */
export function classifyDelivery(event: string, payload: DeliveryPayload): DeliveryKind {
  const used = Object.hasOwn(USED_EVENTS, event) ? USED_EVENTS[event] : undefined;
  if (used === undefined) return { kind: 'ignored' };
  if (!matchesEvent(used, payload)) return { kind: 'misfit' };
  const { action } = payload;
  if (used.actions !== null && !used.actions.includes(String(action))) return { kind: 'ignored' };
  const sameWithinMs = SAME_WITHIN_MS[`${event}.${action}`] ?? null;
  const place = { urgency: findUrgency(event, payload), installationId: findInstallation(payload) };
  return { kind: 'used', group: findGroup(event, payload), sameWithinMs, isUrgent: URGENT.has(event), ...place };
}

function matchesEvent({ actions, objects, own = [] }: UsedEvent, payload: DeliveryPayload): boolean {
  if (actions !== null && typeof payload['action'] !== 'string') return false;
  if (!objects.every((name) => isRecord(payload[name]))) return false;
  const expected = new Set([...objects, ...own]);
  return !SUBJECTS.some((name) => !expected.has(name) && Object.hasOwn(payload, name));
}

/** A person who presses a button of a check run, or "Re-run", waits for it. */
function findUrgency(event: string, { action }: DeliveryPayload): Urgency {
  const isPressed = action === 'requested_action' || action === 'rerequested';
  return AUTOMATIC.has(event) && !isPressed ? 'automatic' : 'person';
}

function findInstallation({ installation }: DeliveryPayload): number | null {
  const id = isRecord(installation) ? installation['id'] : null;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
}

/**
 * The member that has the number of what an event is about. Issues and pull requests of a repository share their
 * numbers.
 */
const NUMBERED: Readonly<Record<string, string>> = {
  issues: 'issue',
  issue_comment: 'issue',
  pull_request: 'pull_request',
};

/**
 * Deliveries of one group are handled in the order in which they came. An issue or pull request is a group of its own,
 * so that one slow answer does not delay the whole repository: no handler takes more from another subject's event than
 * that something may have changed, and looks up what is so now.
 */
function findGroup(event: string, payload: DeliveryPayload): string {
  const { repository, sender } = payload;
  const installationId = findInstallation(payload);
  if (event === 'github_app_authorization' && isRecord(sender)) return `person ${Number(sender['id'])}`;
  if (isRecord(repository) && Number.isSafeInteger(repository['id'])) {
    const subject = payload[NUMBERED[event] ?? ''];
    const number = isRecord(subject) ? subject['number'] : null;
    return `repository ${repository['id']}${Number.isSafeInteger(number) ? ` issue ${number}` : ''}`;
  }
  return installationId === null ? 'app' : `installation ${installationId}`;
}
