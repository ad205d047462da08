// What a token may do: the least for its use, and never more than the installation was granted.
import type { Installation, PermissionLevel } from '../../core/project.ts';
import type { TokenUse } from './github-clients.ts';

export type TokenPermissions = Readonly<Record<string, PermissionLevel>>;

const WANTED: Readonly<Record<TokenUse, TokenPermissions>> = {
  git: { contents: 'read' },
  read: {
    contents: 'read',
    issues: 'read',
    pull_requests: 'read',
    checks: 'read',
    statuses: 'read',
    actions: 'read',
  },
  talk: { issues: 'write', pull_requests: 'write' },
  push: { contents: 'write', pull_requests: 'write' },
  check: { checks: 'write' },
};

export const LISTING: TokenPermissions = { metadata: 'read' };

/** Where less was granted than is wanted, what was granted. */
export function permissionsFor(use: TokenUse, granted: Installation['permissions']): TokenPermissions {
  const kept = Object.entries(WANTED[use]).flatMap(([name, wanted]) => {
    const given = Object.hasOwn(granted, name) ? granted[name] : undefined;
    if (given === undefined) return [];
    return [[name, given === 'read' ? 'read' : wanted] as const];
  });
  return { ...LISTING, ...Object.fromEntries(kept) };
}

/** What the App could do more with, such as `checks: write`; empty where everything was granted. */
export function missingPermissions(granted: Installation['permissions']): readonly string[] {
  const { git, read, ...writing } = WANTED;
  const wanted = Object.assign({}, git, read, ...Object.values(writing)) as TokenPermissions;
  return Object.entries(wanted)
    .filter(([name, level]) => !Object.hasOwn(granted, name) || (level === 'write' && granted[name] === 'read'))
    .map(([name, level]) => `${name}: ${level}`)
    .sort();
}
