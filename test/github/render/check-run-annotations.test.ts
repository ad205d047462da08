// Where our check run marks the code: at the fault, in paths that can only be files of the repository, and nowhere else.
import { describe, expect, it } from 'vitest';
import { listAnnotations } from '../../../src/github/render/check-run.ts';
import {
  cause,
  DEFAULT,
  failure,
  finding,
  foundInquiry,
  ground,
  HEAD,
  knownFailure,
  PULL,
} from './check-run-samples.ts';

const AT = { path: 'src/coupons.js', line: 2, message: 'broken' };

function marksAt(places: Parameters<typeof finding>[0] & object): readonly { path: string; line: number }[] {
  return listAnnotations(ground({ causes: [cause({ finding: finding(places) })] }));
}

describe('marks', () => {
  it('stand where the log points as long as nothing better is known', () => {
    const title = 'test (20) failed: checkout › takes a coupon';
    expect(listAnnotations(ground())).toEqual([
      { path: 'src/coupons.js', line: 2, title, message: "Cannot destructure property 'percent'" },
    ]);
  });

  it('stand where the investigation of this commit points, with the cause', () => {
    const [mark, ...others] = listAnnotations(ground({ causes: [cause({ inquiry: foundInquiry() })] }));
    expect(mark).toMatchObject({ path: 'src/coupons.js', line: 14 });
    expect(mark?.message).toMatch(/^COUPONS\.get gives undefined/);
    expect(others).toEqual([]);
  });

  it('stand at the innermost frame of a stack alone, with the error; and not where the check has marked the line itself', () => {
    const places = [
      { path: 'src/coupons.js', line: 14, message: 'at discountFor (file:///w/src/coupons.js:14:11)' },
      { path: 'test/coupons.test.js', line: 15, message: 'at TestContext.<anonymous> (file:///w/test/x.js:15:16)' },
      { path: 'src/pay.js', line: 1, message: "'a' is never used", isMarked: true },
    ];
    const [mark, ...others] = listAnnotations(ground({ causes: [cause({ finding: finding({ places }) })] }));
    expect(mark).toMatchObject({ line: 14, message: finding().excerpt.headline });
    expect(others).toEqual([]);
    const python = [3, 9].map((line) => ({ path: 'a.py', line, message: `  File "a.py", line ${line}, in f` }));
    expect(marksAt({ places: python })).toMatchObject([{ line: 9 }]);
  });

  it('stand at the stack of the error where there are several: that in a file which the reasons name, else at none', () => {
    const frame = (path: string, line: number) => ({ path, line, message: `at run (file:///w/${path}:${line}:7)` });
    const places = [frame('test/money.test.js', 116), frame('test/names.test.js', 30)];
    const uses = { code: 'touched_by_test', path: 'src/names.js', test: 'test/names.test.js', how: 'uses' } as const;
    const shared = { code: 'red_on_base', check: 'test', cause: 'other', tests: ['formats money'] } as const;
    expect(marksAt({ places, reasons: [uses, shared] })).toMatchObject([{ path: 'test/names.test.js', line: 30 }]);
    expect(marksAt({ places, reasons: [shared] })).toEqual([]);
    const python = ['visitors.py', 'matcher.py'].map((path) => ({
      path,
      line: 9,
      message: `  File "${path}", line 9`,
    }));
    const excerpt = { ...finding().excerpt, tests: ['test_meta', 'test_unicode'] };
    const touched = { code: 'touched', paths: ['visitors.py'] } as const;
    expect(marksAt({ places: python, excerpt, reasons: [touched] })).toMatchObject([{ path: 'visitors.py' }]);
    expect(marksAt({ places: python, excerpt, reasons: [] })).toEqual([]);
  });

  it('stand in no change that did not bring what fails, nor in a draft before its cause is known', () => {
    const elsewhere = failure({ firstSeen: { ...failure().firstSeen, pullRequest: 1 } });
    const known = cause({ finding: finding({ standing: 'known' }), failure: elsewhere });
    expect(listAnnotations(ground({ causes: [known] }))).toEqual([]);
    const since = cause({ finding: finding({ standing: 'known' }), failure: knownFailure() });
    expect(listAnnotations(ground({ causes: [since] }, { place: DEFAULT }))).toEqual([]);
    const leaning = {
      verdict: 'inconclusive',
      leaning: { to: 'code', path: ['test/shop.test.js', 'src/shop.js'] },
    } as const;
    expect(listAnnotations(ground({ causes: [cause({ finding: finding(leaning) })] }))).toEqual([]);
    expect(listAnnotations(ground({ causes: [cause({ finding: finding({ verdict: 'inconclusive' }) })] }))).not.toEqual(
      [],
    );
    expect(listAnnotations(ground({}, { place: { ...PULL, isDraft: true } }))).toEqual([]);
  });

  it('accuse nobody, since they cannot be taken back where a re-run shows that it was chance', () => {
    const checks = ['lint', 'build'].map((name) => ({ ...finding().checks[0]!, name }));
    const bare = finding({ checks, excerpt: { ...finding().excerpt, tests: [] } });
    const causes = [cause({ finding: bare }), cause({ inquiry: foundInquiry() })];
    const titles = listAnnotations(ground({ causes })).map(({ title }) => title);
    expect(titles).toEqual(['build and 1 more failed', 'test (20) failed: checkout › takes a coupon']);
  });

  it('do not stand at lines of another commit', () => {
    const elsewhere = cause({ inquiry: foundInquiry({}, { revision: 'e'.repeat(40) }) });
    expect(listAnnotations(ground({ causes: [elsewhere] }))).toMatchObject([{ line: 2 }]);
    const queue = { ...PULL, isQueue: true, sha: 'e'.repeat(40) };
    expect(listAnnotations(ground({ causes: [elsewhere] }, { place: queue, sha: HEAD }))).toMatchObject([{ line: 14 }]);
  });

  it.each(['../x.js', '/etc/passwd', 'C:\\x', '.git/config', '', 'a//b'])('name no path such as “%s”', (path) => {
    expect(marksAt({ places: [{ ...AT, path }] })).toEqual([]);
  });

  it.each([0, -1, 1.5, Number.NaN, 1e12])('name no line %s', (line) => {
    expect(marksAt({ places: [{ ...AT, line }] })).toEqual([]);
  });

  it.each(['flaky', 'infrastructure', 'base_broken'] as const)('stand in nobody’s code where it is %s', (verdict) => {
    expect(marksAt({ verdict })).toEqual([]);
  });

  it('are gone from what passed since', () => {
    const [check] = finding().checks;
    expect(marksAt({ checks: [{ ...check!, isRed: false }] })).toEqual([]);
  });

  it('are at most ten of a cause and fifty of all, each once', () => {
    const places = Array.from({ length: 30 }, (_, index) => ({ ...AT, line: index + 1 }));
    expect(marksAt({ places })).toHaveLength(10);
    expect(marksAt({ places: [AT, AT, AT] })).toHaveLength(1);
    const causes = Array.from({ length: 12 }, (_, index) =>
      cause({ finding: finding({ places: places.map((place) => ({ ...place, path: `src/${index}.js` })) }) }),
    );
    expect(listAnnotations(ground({ causes }))).toHaveLength(50);
  });

  it('are plain words, never empty', () => {
    const [mark] = listAnnotations(
      ground({ causes: [cause({ finding: finding({ places: [{ ...AT, message: '@mona fixes #1 \u202e' }] }) })] }),
    );
    expect(mark?.message).toBe('mona fixes no. 1');
    const silent = finding({ places: [{ ...AT, message: '' }], excerpt: { ...finding().excerpt, headline: '' } });
    const [named] = listAnnotations(ground({ causes: [cause({ finding: silent })] }));
    expect(named?.message).toBe('test (20) points here');
  });
});
