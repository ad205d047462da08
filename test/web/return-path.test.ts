// Where a sign-in may lead: pages of this service, and nowhere else.
import { describe, expect, it } from 'vitest';
import { toSafeReturnPath } from '../../src/web/session.ts';

describe('where a sign-in leads', () => {
  it.each([
    ['/issues/iss_1', '/issues/iss_1'],
    ['/projects/prj_1?after=iss_2#step-3', '/projects/prj_1?after=iss_2#step-3'],
    ['/account/security-credentials', '/account/security-credentials'],
    ['/projects/../usage', '/usage'],
  ])('keeps the page %s', (given, path) => {
    expect(toSafeReturnPath(given)).toBe(path);
  });

  it.each([
    '',
    '/',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/\n//evil.example',
    '/./%2e//evil.example',
    '/..//evil.example',
    'https:evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'projects',
    '@evil.example',
    '/sign-in?return=/sign-in',
    '/sign-out',
    '/account/callback?code=x',
    `/${'a'.repeat(2_000)}`,
  ])('goes to the projects instead of %j', (given) => {
    expect(toSafeReturnPath(given)).toBe('/projects');
  });
});
