// Which token each call to GitHub came with: the least for what it does, of one repository alone.
import { expect } from 'vitest';
import type { SeenRequest } from '../github-double/double.ts';
import type { GithubStage } from './github-stage.ts';

/** Reads on which an analysis stands: whoever steers it must not be able to write with them. */
const OF_ANALYSIS = /\/info\/refs|git-upload-pack$|\/contents\/|\/permission$|\/issues\/\d+$|^\/user-attachments/;
/** What needs no repository: the list of them, and who the bot is. */
const OF_INSTALLATION = /^\/installation\/repositories|^\/users\//;

/** Holds every call up to now against it. */
export function expectLeastTokens({ double }: GithubStage): void {
  for (const asked of double.requests) {
    if (asked.tokenKind === 'app') expect(asked.path).toMatch(/^\/app(?=$|[/?])/);
    if (asked.tokenKind === 'installation') expect(faultOf(asked)).toBe('');
  }
}

function faultOf(asked: SeenRequest): string {
  const { method, path, permissions, repositoryIds } = asked;
  const writing = Object.keys(permissions).filter((name) => permissions[name] !== 'read');
  const call = `${method} ${path} with ${JSON.stringify(permissions)} of ${repositoryIds}`;
  if (OF_INSTALLATION.test(path))
    return Object.keys(permissions).join() === 'metadata' || repositoryIds?.length === 1 ? '' : call;
  if (repositoryIds?.length !== 1) return `${call}: not of one repository`;
  if (writing.length === 0) return '';
  if (OF_ANALYSIS.test(path.split('?')[0] ?? '') && method === 'GET') return `${call}: an analysis reads with it`;
  if (path.endsWith('/git-upload-pack')) return `${call}: git reads with it`;
  return writing.toSorted().join() === neededFor(path) ? '' : `${call}: more than it needs`;
}

/** Talking cannot push, and pushing cannot talk on issues. */
function neededFor(path: string): string {
  return /\/(?:comments|reactions)/.test(path) ? 'issues,pull_requests' : 'contents,pull_requests';
}
