// Parts of a log in which tools tell all of their failures: what opens one and what ends it.

interface Section {
  readonly opens: RegExp;
  /** The first line that is no longer of it. */
  readonly ends: RegExp;
}

const SECTIONS: readonly Section[] = [
  // pytest
  { opens: /^=+ (?:FAILURES|ERRORS) =+$/, ends: /^={3,} .{1,200} ={3,}$|^-+ .{0,80}coverage/ },
  // unittest, nose
  { opens: /^={70}$/, ends: /^Ran \d+ tests? in / },
  // Jest
  {
    opens: /^\s{0,4}● (?!Console|Deprecation|Validation Warning)\S/,
    ends: /^(?:Test Suites?:|Tests:|Snapshots?:|PASS|FAIL|RUNS|Summary of all)\b/,
  },
  // Mocha
  { opens: /^\s{1,8}\d{1,4} failing$/, ends: /^(?:npm (?:ERR!|error)|error Command|Done in|-{10}|={10}|make|\$ )/ },
  // RSpec
  { opens: /^Failures:$/, ends: /^(?:Finished in|Failed examples:|Top \d|\d+ examples?,)/ },
  // Cargo
  { opens: /^---- .{1,200} stdout ----$/, ends: /^(?:failures:|test result:)/ },
  // PHPUnit
  { opens: /^There (?:was|were) \d+ (?:failures?|errors?):$/, ends: /^(?:FAILURES!|ERRORS!|Tests: \d)/ },
  // Gradle
  { opens: /^\* What went wrong:/, ends: /^\* (?:Try|Get more help|Exception is)\b/ },
  // Go
  { opens: /^(?:panic: |fatal error: )/, ends: /^(?:FAIL|ok {2}|exit status|=== |--- )/ },
  // AddressSanitizer and its kin
  { opens: /==\d{1,10}== ?ERROR: \w{1,30}Sanitizer/, ends: /^(?:==\d{1,10}== ?ABORTING|SUMMARY: )/ },
];
/** A section whose end never comes ends here. */
export const MAX_SECTION = 600;

/** What ends the section that this line opens; null: it opens none. */
export function sectionEnd(text: string): RegExp | null {
  return SECTIONS.find(({ opens }) => opens.test(text))?.ends ?? null;
}
