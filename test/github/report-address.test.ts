import { describe, expect, it } from 'vitest';
import { parseReportAddress } from '../../src/github/read-address.ts';

const GITHUB = 'https://github.com';
const place = { owner: 'octo', repo: 'shop.js' };

describe('an address on GitHub', () => {
  it.each([
    ['https://github.com/octo/shop.js/issues/12', { kind: 'issue', number: 12 }],
    ['https://github.com/octo/shop.js/issues/12/', { kind: 'issue', number: 12 }],
    ['https://github.com/octo/shop.js/issues/12#issuecomment-99', { kind: 'issue', number: 12 }],
    ['https://github.com/octo/shop.js/issues/12?notification_referrer_id=x', { kind: 'issue', number: 12 }],
    ['https://github.com/octo/shop.js/actions/runs/345', { kind: 'run', runId: 345, attempt: null }],
    ['https://github.com/octo/shop.js/actions/runs/345/attempts/2', { kind: 'run', runId: 345, attempt: 2 }],
    ['https://github.com/octo/shop.js/actions/runs/345/job/678#step:4:12', { kind: 'job', jobId: 678 }],
    ['https://github.com/octo/shop.js/actions/runs/345/job/678?pr=9', { kind: 'job', jobId: 678 }],
    ['https://github.com/octo/shop.js/runs/678', { kind: 'job', jobId: 678 }],
    ['https://github.com/octo/shop.js/pull/9/checks?check_run_id=678', { kind: 'job', jobId: 678 }],
  ])('%s is understood', (url, expected) => {
    expect(parseReportAddress(url, GITHUB)).toEqual({ ...place, ...expected });
  });

  it('of an Enterprise server is understood under its own base address', () => {
    const url = 'https://git.example.com:8443/ghe/octo/shop.js/issues/12';
    expect(parseReportAddress(url, 'https://git.example.com:8443/ghe/')).toEqual({
      ...place,
      kind: 'issue',
      number: 12,
    });
  });

  it.each([
    ['https://gitlab.com/octo/shop/issues/12', 'is not on https://github.com (GHE_HOST)'],
    ['https://github.com.evil.example/octo/shop/issues/12', 'is not on https://github.com'],
    ['https://github.com/octo/shop', 'is neither an issue'],
    ['https://github.com/octo/shop/issues', 'is neither an issue'],
    ['https://github.com/octo/shop/issues/0', 'is neither an issue'],
    ['https://github.com/octo/shop/issues/99999999999999999999', 'is neither an issue'],
    ['https://github.com/octo/../issues/1', 'is neither an issue'],
    ['https://github.com/oc%2Fto/shop/issues/1', 'is neither an issue'],
    ['https://github.com/octo/shop/pull/9', 'is a pull request'],
    ['https://github.com/octo/shop/pull/9/files', 'is a pull request'],
  ])('%s is refused with the reason', (url, reason) => {
    expect(() => parseReportAddress(url, GITHUB)).toThrow(reason);
  });
});
