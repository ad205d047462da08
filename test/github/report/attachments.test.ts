// Attached files: which links are followed, with which credentials, to where, and how much is taken.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Octokit } from '@octokit/rest';
import { condenseLog } from 'causeway-ci-log';
import { describe, expect, it } from 'vitest';
import type { GithubProject } from '../../../src/core/project/project.ts';
import { findAttachments, readAttachments } from '../../../src/github/report/attachments.ts';

import type { GatherDeps } from '../../../src/github/report/gather-deps.ts';
import { createLog } from '../../../src/log.ts';
import { listenOnLoopback } from '../../support/loopback.ts';
import { patience } from '../../support/patience.ts';

const WEB = 'https://github.com';
const PROJECT = { name: 'octo/shop' };

function namesIn(text: string, webUrl = WEB): readonly string[] {
  return findAttachments(text, { webUrl, project: PROJECT }).map(({ url }) => url);
}

describe('a link', () => {
  it.each([
    `${WEB}/user-attachments/files/123/crash.log`,
    `${WEB}/octo/shop/files/123/crash.log`,
    `${WEB}/Octo/Shop/files/123/crash%20dump.txt`,
  ])('to an attached file is one: %s', (url) => {
    expect(namesIn(`See [it](${url}), or <${url}>: ${url}.`)).toEqual([url]);
  });

  it.each([
    'https://evil.example/user-attachments/files/1/a.log',
    'https://github.com.evil.example/user-attachments/files/1/a.log',
    'https://github.com@evil.example/user-attachments/files/1/a.log',
    'https://user:pass@github.com/user-attachments/files/1/a.log',
    'http://github.com/user-attachments/files/1/a.log',
    'https://github.com:8443/user-attachments/files/1/a.log',
    'https://github.com/other/shop/files/1/a.log',
    'https://github.com/octo/shop/files/1/../../settings/a.log',
    'https://github.com/octo/shop/files/x/a.log',
    'https://github.com/octo/shop/files/1/a.log/b',
    'https://github.com/octo/shop/blob/main/a.log',
    'https://github.com/user-attachments/assets/1/a.log',
    'https://github.com/user-attachments/files/1/{owner}.log',
  ])('to anything else is none: %s', (url) => {
    expect(namesIn(`See ${url} and [this](${url})`)).toEqual([]);
  });
});

interface Host extends AsyncDisposable {
  readonly url: string;
  /** `path authorization` of each request. */
  readonly asked: string[];
}

async function host(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Host> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization ?? 'nobody'}`);
    answer(request, response);
  });
  const { url, close } = await listenOnLoopback(server);
  return {
    url,
    asked,
    [Symbol.asyncDispose]: close,
  };
}

function read(webUrl: string, texts: readonly string[], isPrivate = false): Promise<readonly string[]> {
  const octokit = new Octokit({ auth: 'installation-token' });
  const caller = {
    call: <T>(request: (octokit: Octokit, options: { signal: AbortSignal }) => Promise<T>, signal: AbortSignal) =>
      request(octokit, { signal }),
  };
  const deps = {
    clients: { repository: () => caller, identity: () => Promise.reject(new Error('not asked')) },
    permissions: { roleOfPerson: () => Promise.reject(new Error('not asked')) },
    readBuildLog: async () => null,
    shortenLog: condenseLog,
    ...{ webUrl, apiUrl: webUrl, userAgent: 'causeway-test', log: createLog({ level: 'silent' }) },
  } satisfies GatherDeps;
  const project = { ...PROJECT, source: { isPrivate } } as unknown as GithubProject;
  return readAttachments(deps, project, texts, patience());
}

const FILE = '/user-attachments/files/1/crash.log';

describe('an attached file', () => {
  it('is read for what it holds, under its name', async () => {
    await using github = await host((_, response) => response.end('TypeError: x\n'));
    expect(await read(github.url, [`${github.url}${FILE}`])).toEqual(['--- Log: crash.log ---\n\nTypeError: x\n']);
    expect(github.asked).toEqual([`${FILE} nobody`]);
  });

  it('of a private repository is asked for with our token, which its storage never sees', async () => {
    await using github = await host((request, response) => {
      if (request.url === FILE) response.writeHead(302, { Location: '/storage/abc?signature=1' }).end();
      else response.end('the log');
    });
    expect(await read(github.url, [`${github.url}${FILE}`], true)).toEqual(['--- Log: crash.log ---\n\nthe log']);
    expect(github.asked).toEqual([`${FILE} token installation-token`, '/storage/abc?signature=1 nobody']);
  });

  it.each([
    'http://127.0.0.2:1/x',
    'ftp://127.0.0.1/x',
    'http://169.254.169.254/latest',
    'https://evil.example/x',
    'file:///etc/passwd',
  ])('that is redirected to %s is not read', async (location) => {
    await using github = await host((_, response) => response.writeHead(302, { Location: location }).end());
    expect(await read(github.url, [`${github.url}${FILE}`])).toEqual([
      '[Attached file crash.log was not read: it is stored elsewhere]',
    ]);
    expect(github.asked).toHaveLength(1);
  });

  it('that leads in a circle, is gone, or is no text is said not to be read', async () => {
    await using github = await host((request, response) => {
      if (request.url?.includes('/1/')) response.writeHead(302, { Location: request.url }).end();
      else if (request.url?.includes('/2/')) response.writeHead(404).end('no');
      else response.end(Buffer.from([0x4d, 0x5a, 0, 1, 2]));
    });
    const links = ['1/a.log', '2/b.log', '3/c.log', '4/d.zip'].map(
      (end) => `${github.url}/user-attachments/files/${end}`,
    );
    expect(await read(github.url, links)).toEqual([
      '[Attached file a.log was not read: it is stored elsewhere]',
      '[Attached file b.log was not read: GitHub answered 404]',
      "[Attached file c.log was not read: it isn't text]",
      "[Attached file d.zip was not read: it isn't a text file]",
    ]);
    expect(github.asked.filter((one) => one.includes('d.zip'))).toEqual([]);
  });

  it('that is long keeps beginning and end, and all of them together stay under 5 MiB', async () => {
    let sent = 0;
    await using github = await host((_, response) => {
      const line = Buffer.from(`${'x'.repeat(63)}\n`.repeat(16_384));
      response.write('it began\n');
      const more = (error?: Error | null) => {
        // Nobody reads any more.
        if (error) return;
        sent += 1;
        if (response.destroyed || sent > 40) response.end();
        else response.write(line, more);
      };
      more();
    });
    const links = ['1/a.log', '2/b.log'].map((end) => `${github.url}/user-attachments/files/${end}`);
    const [second = '', first = ''] = await read(github.url, links);
    expect(first).toContain('it began\n');
    expect(first).toMatch(/\n\[Cut from \d+ bytes in \d+ lines\]\n/);
    expect(first).toContain('[The rest was not read]');
    expect(Buffer.byteLength(first)).toBeLessThan(257 * 1024);
    expect(second).toBe('[Attached file b.log was not read: the files before it have 5 MiB]');
    expect(sent).toBeLessThan(20);
  });
});
