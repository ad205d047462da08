// Addresses that somebody else told, as an Issue has them: only https ones of the GitHub that the project is on lead anywhere.
import { describe, expect, it } from 'vitest';
import type { Project } from '../../src/core/project.ts';
import { checkOwnAddress, renderOwnLink } from '../../src/web/components.ts';

function on(url: string): Project {
  const source = {
    kind: 'github',
    repositoryId: 1,
    installationId: 1,
    url,
    isPrivate: true,
    isArchived: false,
    defaultBranch: 'main',
  } as const;
  return { id: 'prj_1', name: 'octo/shop', source, createdAt: '' };
}

const GITHUB = on('https://github.com/octo/shop.git');
const PULL = 'https://github.com/octo/shop/pull/1';

describe('an address that somebody else told', () => {
  it('leads to the own GitHub', () => {
    expect(checkOwnAddress(GITHUB, PULL)).toBe(PULL);
    expect(String(renderOwnLink(GITHUB, PULL, '<1>'))).toBe(`<a href="${PULL}">&lt;1&gt;</a>`);
    expect(checkOwnAddress(on('https://ghe.example/octo/shop.git'), 'https://ghe.example/octo/shop/pull/1')).not.toBe(
      '',
    );
  });

  it.each([
    ['another host', GITHUB, 'https://github.com.evil.example/octo/shop/pull/1'],
    ['another port', GITHUB, 'https://github.com:8443/octo/shop/pull/1'],
    ['another scheme', GITHUB, 'javascript:https://github.com/octo/shop'],
    ['somebody’s name in it', GITHUB, 'https://github.com@evil.example/'],
    ['a password in it', GITHUB, 'https://user:pass@github.com/octo/shop'],
    ['no address', GITHUB, 'pull/1'],
    ['nothing', GITHUB, null],
    ['a local project', { ...GITHUB, source: { kind: 'path', path: '/srv/shop' } } as Project, PULL],
  ])('leads nowhere with %s', (_, project, address) => {
    expect(checkOwnAddress(project, address)).toBe('');
    expect(String(renderOwnLink(project, address, '#1'))).toBe('#1');
  });
});
