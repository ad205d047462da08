// The verbs of the audit log as sentences.

const SENTENCES: Readonly<Record<string, string>> = {
  'account.made': 'came for the first time: the account was made',
  'account.erased_by_operator': 'was erased by the operator, at the terminal',
  'project.erased_by_operator': 'erased a project, at the terminal',
  'token.created': 'created an auth token',
  'token.revoked': 'revoked an auth token',
  'token.created_by_operator': 'had an auth token created by the operator, at the terminal',
  'token.revoked_by_operator': 'had an auth token revoked by the operator, at the terminal',
  'secret.rotated_by_operator': 'had the webhook signing secret rotated by the operator, at the terminal',
  'secret.shown_by_operator': 'had the webhook signing secret shown to the operator, at the terminal',
  'secret.rotated': 'rotated the webhook signing secret',
  'secret.shown': 'had the webhook signing secret shown',
  'session.started': 'signed in',
  'session.ended': 'ended a session, or signed out',
  'access.revoked': 'took back on GitHub what had been granted to the App',
  'webhook.resent': 'had a webhook sent again',
  'report.accepted': 'handed in a report',
  'investigation.cancelled': 'stopped an investigation',
  'issue.erased': 'deleted an issue',
  'thread.opened': 'had an analysis shown on GitHub',
  'fix.requested': 'asked for a pull request',
  'installation.made': 'installed the App',
  'installation.removed': 'removed the App',
};

/** What was done, to follow who did it; null: a verb that is not known here. */
export function sentenceOf(verb: string): string | null {
  return Object.hasOwn(SENTENCES, verb) ? (SENTENCES[verb] ?? null) : null;
}
