// Addresses of submodules: what they mean on the project's own host, and that every other one means nothing.
import { describe, expect, it } from 'vitest';
import { parseSubmodules, resolveSubmodule } from '../../src/core/issue/context.ts';
import { cpuTime } from '../support/cpu-time.ts';

const PROJECT = { name: 'octo/shop', origin: 'https://github.com' };

describe('the address of a submodule', () => {
  it.each([
    ['../lib.git', 'octo/lib'],
    ['../lib', 'octo/lib'],
    ['../../other/lib.git', 'other/lib'],
    ['https://github.com/octo/lib.git', 'octo/lib'],
    ['ssh://git@github.com/octo/lib', 'octo/lib'],
    ['git@github.com:octo/lib.git', 'octo/lib'],
  ])('%s means %s', (url, repository) => {
    expect(resolveSubmodule(url, PROJECT)).toBe(repository);
  });

  it.each([
    ...['../../../etc/passwd', '../../../../lib', './lib', '..', '../', '../..', '../../..', '/octo/lib', 'lib'],
    ...['file:///octo/lib', 'ext::sh -c id', '--upload-pack=touch x', '-c core.x=y', 'https://example.com/octo/lib'],
    ...['https://github.com.example/octo/lib', 'https://github.com/octo/lib?x=1'],
    ...[
      'git@example.com:octo/lib',
      'git@github.com:/octo/lib',
      'git@github.com:octo/l ib',
      'https://github.com/octo/%2e%2e',
    ],
    ...['https://github.com:8443/octo/lib', '../li\nb', '../$(id)', ''],
  ])('%j means nothing', (url) => {
    expect(resolveSubmodule(url, PROJECT)).toBeNull();
  });

  it('is relative where the project has no address', () => {
    const local = { name: 'local/shop', origin: '' };
    expect(resolveSubmodule('../lib', local)).toBe('local/lib');
    expect(resolveSubmodule('https://github.com/octo/lib', local)).toBeNull();
  });
});

describe('.gitmodules', () => {
  it('gives paths and addresses, and nothing else', () => {
    const text = `[core]
	sshCommand = touch x
[submodule "a"]
	path = vendor/a
	url = ../a.git
	update = !touch x
; [submodule "b"]
[submodule "c"]
	url = ../c
[submodule "d"]
	path = ../../d
	url = ../d
[submodule "e"]
	Path = "vendor/e"
	URL = "../e"
`;
    expect(parseSubmodules(text)).toEqual([
      { path: 'vendor/a', url: '../a.git' },
      { path: 'vendor/e', url: '../e' },
    ]);
  });

  it('is read in bounded time', async () => {
    const work = () => {
      expect(parseSubmodules('[submodule "x"]\npath=x\nurl=../x\n'.repeat(100_000)).length).toBeLessThanOrEqual(200);
      parseSubmodules(`[submodule "x"]\nurl = "${'"'.repeat(1_000_000)}`);
    };
    expect(await cpuTime(work)).toBeLessThan(2_000);
  });
});
