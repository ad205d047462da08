// How our own texts, commits and branches are known again.
import { describe, expect, it } from 'vitest';
import { isAsSealed, markerText, readMarker, sealText } from '../../../src/github/publish/marker.ts';
import { addTrailers, listBranchNames, readIssueOf } from '../../../src/github/publish/open-pull-request.ts';

const MARKER = { threadId: 'thr_1', investigationId: 'inv_1', kind: 'facts' } as const;

describe('a marker', () => {
  it('is found again in the text around it', () => {
    expect(readMarker(`Words\n\n${markerText(MARKER)}\n`)).toEqual(MARKER);
    expect(readMarker('<!-- causeway thread=1 investigation=2 kind=facts -->')).toBeNull();
  });

  it('counts as the last line alone, be there a seal below or not', () => {
    const other = markerText({ ...MARKER, threadId: 'thr_2' });
    expect(readMarker(`${other}\n\n${markerText(MARKER)}`)).toEqual(MARKER);
    expect(readMarker(sealText(`${other}\r\n${markerText(MARKER)}`))).toEqual(MARKER);
    expect(readMarker(`${markerText(MARKER)}\n\nI do not think so.`)).toBeNull();
    expect(readMarker(`> ${markerText(MARKER)}`)).toBeNull();
  });

  it('shows nothing to people', () => {
    expect(markerText(MARKER)).toMatch(/^<!-- [^<>]* -->$/);
  });
});

describe('a seal', () => {
  const text = sealText(`Title\n\nbody\n${markerText(MARKER)}`);

  it('holds whatever GitHub does to line ends', () => {
    expect(isAsSealed(text)).toBe(true);
    expect(isAsSealed(`${text.replaceAll('\n', '\r\n')}\r\n`)).toBe(true);
  });

  it('is broken by whoever writes in the text, or takes it away', () => {
    expect(isAsSealed(text.replace('body', 'body, and more'))).toBe(false);
    expect(isAsSealed('Title')).toBe(false);
  });
});

describe('a commit message', () => {
  const carries = { threadId: 'thr_1', issueId: 'iss_1' };
  const head = { sha: 'a', parents: [], isOurs: true };

  it('names thread and Issue in trailers that are read again', () => {
    const { headline, body } = addTrailers({ headline: 'Fix it', body: 'Because.' }, carries.threadId, carries.issueId);
    const message = `${headline}\n\n${body}`;
    expect(readIssueOf({ ...head, message }, 'thr_1')).toBe('iss_1');
    expect(readIssueOf({ ...head, message }, 'thr_2')).toBeNull();
  });

  it('of somebody else is not ours, whatever it says', () => {
    const { body } = addTrailers({ headline: 'Fix it', body: '' }, carries.threadId, carries.issueId);
    expect(readIssueOf({ ...head, isOurs: false, message: `x\n\n${body}` }, 'thr_1')).toBeNull();
  });

  it('leaves no checks out', () => {
    const { headline, body } = addTrailers(
      { headline: 'Fix [skip ci]', body: 'a [no ci]\nskip-checks: true' },
      carries.threadId,
      carries.issueId,
    );
    expect(`${headline}\n${body}`).not.toMatch(/\[(skip ci|no ci)\]|skip-checks:/);
  });
});

describe('a branch name', () => {
  it('is the same for the same Issue, with others should it be taken', () => {
    const names = listBranchNames({ kind: 'issue', number: 12 }, 'iss_3kTMd9abcdefghijklmn');
    expect(names[0]).toBe('causeway/issue-12-3kTMd9');
    expect(new Set(names).size).toBe(3);
    expect(listBranchNames({ kind: 'report', issueId: 'iss_1' }, 'iss_3kTMd9abcdefghijklmn')[0]).toBe(
      'causeway/report-3kTMd9',
    );
  });
});
