// Which scope of a monorepo a report is about, and which one a file belongs to.
import { describe, expect, it } from 'vitest';
import {
  findReportScopes,
  findScopeOf,
  nameScopes,
  type Scope,
  type ScopeNames,
} from '../../src/core/project/scopes.ts';

function scope(paths: readonly string[], labels: readonly string[]): Scope {
  return { paths, labels, owners: [], budget: { run: null }, context: [] };
}

const API = scope(['packages/api/**'], ['area-api']);
const WEB = scope(['packages/web/**', '*.css'], ['Area Web']);
const SCOPES = [API, WEB];

describe('the scope of a report', () => {
  it.each<[string, ScopeNames, string, readonly Scope[]]>([
    ['a label, whatever its case', { labels: ['bug', 'AREA-API'] }, '', [API]],
    ['two labels', { labels: ['area-api', 'area web'] }, '', [API, WEB]],
    ['a folder as a word of a check', { checks: ['test (web)'] }, '', [WEB]],
    ['a label as a word of a check', { checks: ['ci / area-api'] }, '', [API]],
    ['a part of a word', { checks: ['test (webhooks)'] }, '', []],
    ['a folder in the text', {}, 'It is in packages/web/src/a.ts', [WEB]],
    ['folders of several scopes in the text', {}, 'packages/web/a.ts calls packages/api/b.ts', []],
    ['a label, and another folder in the text', { labels: ['area-api'] }, 'packages/web/a.ts', [API]],
    ['nothing', {}, 'It is broken', []],
  ])('follows from %s', (_, names, text, expected) => {
    const found = findReportScopes(nameScopes(SCOPES, names), text);
    expect(found.map(({ paths }) => paths)).toEqual(expected.map(({ paths }) => paths));
  });

  it('is the first one that has a file', () => {
    expect(findScopeOf([...SCOPES, scope(['**'], [])], 'packages/web/a.ts')).toBe(WEB);
    expect(findScopeOf(SCOPES, 'packages/other/a.ts')).toBeNull();
  });
});
