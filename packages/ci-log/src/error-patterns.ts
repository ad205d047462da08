// Patterns of a failure in a line of a log: a table, from a tool's own verdict down to a mere word, and how a line is
// matched against it.

/**
 * `verdict`: a tool says what of the code is wrong: a test failed, a line does not compile. `error`: something says
 * that it failed. `summary`: a tool says that what it ran failed, and little of why. `weak`: words of trouble. `end`:
 * only that it is over.
 */
export type ErrorKind = 'verdict' | 'error' | 'summary' | 'weak' | 'said' | 'end';

/** From the most to the least informative. */
export const RANKS: Readonly<Record<ErrorKind, number>> = {
  verdict: 4,
  error: 3,
  summary: 2,
  weak: 1,
  said: 0,
  end: 0,
};

/** From this rank on a line says what went wrong. */
export const ERROR_RANK = RANKS.error;

interface ErrorPatterns {
  readonly kind: ErrorKind | 'harmless';
  readonly isHeading?: boolean;
  readonly patterns: readonly RegExp[];
}

/** Time ran out, or someone stopped it: the runner says that and no more. What took so long may be the code. */
export const TIME_OUT =
  /^(?:Error: )?The operation was canceled|has timed out after \d+|has exceeded the maximum execution time|execution took longer than|exceeded the maximum time limit|No output has been received in the last|Too long with no output|job exceeded the maximum|Build timed out|Command took >|Task timeout after/i;

const DURATION = '[\\d.]{1,8} ?[a-z]{1,8}(?:,? (?:and )?[\\d.]{1,8} ?[a-z]{1,8}){0,2}';

const FAILED =
  '(?:not (?:pass(?:ed)?|succeed(?:ed)?|successful)|fail(?:ed|ing|s|ure|ures)?|errored|cancell?ed|aborted|broken|red|unsuccessful)';

const AFTER = `(?:,? (?:in|after) ${DURATION})?(?: on [\\w.-]{1,40}(?: [\\w.-]{1,40})?)?(?: \\((?=[^()]{0,40}\\d)[\\d\\s:.,a-z]{1,40}\\))?[.!]{0,3}$`;

/** That it failed, and nothing of why. */
const ONLY_FAILED: readonly RegExp[] = [
  new RegExp(
    `^(?:error: )?(?:[\\w./#&-]{1,40} ){0,5}?(?:builds?|deploys?|deployments?|tests?|pipelines?|checks?|jobs?|workflows?|gate|runs?|previews?|suites?|tasks?|stages?|steps?|analysis|status)(?: in \\S{1,100})?(?: #?[\\d.]{1,20})?:? (?:(?:has|have|had|was|were|is|are|did) )?(?:been )?(?:${FAILED}|found (?:\\d{1,6} )?(?:errors?|failures?))${AFTER}`,
    'i',
  ),
  new RegExp(`^(?:error|(?:it )?(?:has )?${FAILED})${AFTER}`, 'i'),
  /^(?:error: )?(?:process completed|command failed|exited) with (?:exit )?(?:code|status) \d{1,5}\.?$/i,
  /^(?:this commit (?:cannot be built|has test failures)|the (?:[\w.-]{1,40} ){0,3}build could not complete due to an error|some (?:checks|tests) (?:failed|were not successful))[.!]?$/i,
];

/** Whether a line says that something failed, and nothing of what. */
export function isOnlyFailed(text: string): boolean {
  const bare = text.trim();
  return ONLY_FAILED.some((pattern) => pattern.test(bare));
}

/** The first that fits counts. */
export const ERROR_PATTERNS: readonly ErrorPatterns[] = [
  {
    kind: 'end',
    patterns: [
      /^Process completed with exit code \d/,
      /^FAIL(?:\t\S{1,300}\t[\d.]{1,10}s)?$/,
      /^(?:\[(?:INFO|ERROR)\] )?BUILD (?:FAILURE|FAILED)\b/,
      /^FAILURE: Build (?:failed with an exception|completed with)/,
      /^The command ".{0,900}" (?:exited with [1-9]|failed)|^The command "[^"]{0,900}$|^[^"]{0,100}" exited with [1-9]\d{0,2}\.$/,
      /^(?:ERROR: )?"[^"]{1,200}" exited with \d{1,3}\.$/,
      /^(?:Error[!:] )?(?!.{1,300}:\d+:\d+: ).{1,200} (?:finished|exited|failed|ended|completed) with (?:a |an )?(?:non-?zero )?(?:exit )?(?:code|status)(?: [('"]?\d{1,3}[)'"]?)?\.?$/i,
      /^Executing the custom container implementation failed/,
      /(?:script|Script) exited with (?:code|status) \d/,
      /^Finished: (?:FAILURE|ABORTED|UNSTABLE)/,
      /^Build step '.{1,200}' marked build as failure/,
      /^(?:exit status|Exited with code) \d|: error: \S{1,60} returned \d{1,3} exit status$/,
      /^error Command failed with (?:exit code|signal)/,
      /^\[ERROR\] *(?:$|To see the full stack trace|Re-run Maven|For more information about the errors|\[Help \d|After correcting|mvn |Please refer to |See .{0,200}for (?:the individual|further))/,
      /^(?:\* Try:|> Run with --|Run with --|\* Get more help|\* Exception is:)/,
      /^ninja: build stopped/,
      /^\W{0,12}(?:\w{1,30} ){0,3}(?:FAILED|FAILURE|[Ff]ailed)(?: in [\d.]{1,9} ?m?s)?\W{0,12}$/,
      /^Test suites?: \d|^Tests: {2,}\d|^Snapshots: {2,}/i,
    ],
  },
  {
    // What the system refuses is said in warnings as well
    kind: 'error',
    patterns: [/\b(?:no space left on device|ENOSPC|out of memory|OutOfMemoryError)\b/i],
  },
  {
    kind: 'harmless',
    patterns: [
      /^\s*(?:ok|PASS(?:ED)?|--- (?:PASS|SKIP):|=== (?:RUN|CONT|PAUSE|NAME)|✓|✔|√|\[ {7}OK|\[INFO\]|\[info\]|INFO\b|DEBUG\b|TRACE\b|\[DEBUG\]|\[TRACE\])(?:\s|$)(?!.{0,300}(?:<<<|TEST-UNEXPECTED|PROCESS-CRASH))/,
      /^(?:\[?WARN(?:ING)?\]?|warning|npm WARN|npm warn|DEPRECATION|Note)[:\s]/,
      /: (?:warning|note|remark|info)(?: [A-Z]{1,5}\d{2,5})?:/,
      /^(?:\[?(?:INFO|info)\]? )?(?:Download(?:ing|ed)|Fetching|Extracting|Unpacking|Installing|Setting up|Collecting|Get:\d|Selecting|Compiling|Checking|Preparing|Requirement already|inflating:|adding:|copying|creating|create mode|hint:)\b/,
      /^(?!.{0,400}(?:Failures|Errors|failures|errors|Failed|failed): [1-9]).{0,400}\b(?:Failures|Errors|failures|errors|Failed|failed): 0\b/,
      /\b(?:0|no) (?:errors?|failures?|failed|failing|problems?)\b(?!.{0,100}[1-9]\d* (?:errors?|failures?|failed|failing))/i,
      /^(?:with|env|shell|set|export|if|for|else|fi|echo)\b.{0,300}(?:fail|error|errexit)/i,
      /^(?:\+{1,2}|>|\$) \S/,
      /^The command ".{0,200}" exited with 0/,
      /unmappable character/,
      /\b(?:errors?|failures?|failed|timeouts?)[ :=]{1,40}0$/i,
      /^\s*[\w-]{0,50}(?:fail|error)[\w-]{0,50}: (?:true|false)$/i,
      /^\s{0,4}(?:\[(?:exec|java|javac|echo)\] )?(?:at|\.\.\.) [\w$.<]/,
      /(?:PASSED|SUCCESS|SKIPPED| \.\.\. ok)$/,
      // Rows of a table of coverage
      /^[^|]{1,200}\|(?: {0,20}[\d.]{1,8} {0,20}\|){2}/,
      // Dots for tests that passed, and the end of what TAP says of one
      /^\s*\.{2,}$/,
      /^\s*# (?!github| {0,3}Failed test\b)/,
    ],
  },
  {
    kind: 'verdict',
    isHeading: true,
    patterns: [
      /^=+ (?:FAILURES|ERRORS) =+$/,
      /^\[ERROR\] COMPILATION ERROR/,
      /^_{3,} .{1,300} _{3,}$/,
      /^\s{0,4}(?:FAIL|❯|×) {1,3}\S{1,300}\.(?:[cm]?[jt]sx?|vue|svelte)\b(?! > )/,
      /^FAILED: \[?\S/,
      /^\s{0,8}\[junit\] {1,8}(?:FAILED|Caused an ERROR)/,
      /^\s{0,4}● Test suite failed to run/,
      /^(?:\[ERROR\] )?Tests run: .{0,100}<<< (?:FAILURE|ERROR)!/,
      /^---- .{1,200} stdout ----$/,
      /^\s{1,8}\d{1,4} failing$/,
      /Code style issues (?:found|were found)/,
    ],
  },
  {
    kind: 'verdict',
    patterns: [
      /^panic: /,
      /^(?:\.{0,2}[/\\])?[\w@./\\-]{1,300}\.go:\d+:\d+: \S/,
      /\berror(?: |\[)(?:TS|E|CS|FS|VB|BC|C|LNK|MSB|NU|NETSDK|CA|SA|IDE)\d{3,5}\b/,
      /:\d+(?::\d+)?: (?:fatal )?(?:error|ERROR): /,
      /\(\d+(?:,\d+)*(?:\): error|\): fatal error)\b/,
      /^\[ERROR\] [^\s[]{1,300}(?::\[\d+,\d+\]|:\d+:|:\[\d+\])/,
      /^e: \S/,
      /^\s{1,6}\d+:\d+ {1,4}error {1,4}\S/,
      /^\s{0,6}(?:\.{0,2}\/)?[\w./\\-]{1,300}:\d+(?::\d+)?:? (?:\[?[A-Z]{1,5}\d{2,5}\b|[CWEF]: )/,
      /^\s{0,6}(?:\.{0,2}\/)?[\w./\\-]{1,300}(?:\.py:|\.rb:|\.js:|\.ts:|\.tsx:|\.jsx:|\.sh:|\.ya?ml:|\.css:|\.md:|\.tf:)\d+(?::\d+)?:? (?:error|\[?[A-Z]{1,5}\d{2,5}\b|[CWEF]: )/,
      /undefined reference to |^Undefined symbols? |unresolved external symbol/,
      /<<< (?:FAILURE|ERROR)!/,
      /^E {3,}\S/,
      /^(?:FAILED|ERROR) \S{1,400}(?:::\S|\.py\b)/,
      /^\s{0,4}● (?!Console|Deprecation|Validation Warning)\S/,
      /^\s*# {1,4}Failed test\b/,
      /==\d{1,10}== ?ERROR: \w{1,30}Sanitizer/,
      /^thread '.{1,200}' panicked at /,
      /\b(?:TEST-UNEXPECTED-\w{1,20}|PROCESS-CRASH) \| /,
      /^\[warn\] \S{1,300}\.\w{1,10}$/,
      /^[Ww]ould reformat:? \S{1,300}\.\w{1,10}$/,
      /^Diff in \S{1,300}\.rs(?::\d+:?| at line \d+:)$/,
      /^error: cannot format \S{1,300}\.\w{1,10}: /,
      /^\[error\] \S{1,300}\.\w{1,10}:\d+(?::\d+)?: /,
      /^ {2}(?:Error|Warning) \([A-Z\d_]{2,40}\)/,
    ],
  },
  {
    kind: 'summary',
    patterns: [
      /^\[ERROR\] Failed to execute goal /,
      /did not complete successfully: exit code: \d/,
      /^(?:\[ERROR\] )?Tests run: \d{1,7}, (?:Failures: [1-9]|Failures: 0, Errors: [1-9])/,
      /^(?:g?make(?:\[\d+\])?: \*\*\* |\S{1,200}:\d{1,6}: recipe for target )/,
      /^FAIL\t.{1,300}\[(?:build|setup) failed\]/,
      /^=+ .{0,200}\d+ (?:failed|error).{0,200} =+$/,
      /^npm (?:ERR!|error) /,
      /^Execution failed for task /,
      /^\s{0,8}error: (?:could not compile|Recipe|command|process|Process|failed to run custom)/,
      /^(?:Error: )?[\w-]{1,60} (?:exited|failed) with (?:exit )?(?:code|status) \d/i,
    ],
  },
  {
    // How many things went wrong: what they are is on the lines before
    kind: 'summary',
    patterns: [
      /^(?!.{0,300}\b(?:expected|got|than)\b)(?=.{0,200}\b(?:errors?|fail(?:ed|ures?|ing)?|broken|problems?|unable|violations?|offen[cs]es?|issues?)\b).{0,40}(?<!#)\b[1-9]\d{0,5} (?:[a-z-]{1,20} ){0,2}(?:errors?|failures?|failed|failing|problems?|issues?|violations?|offen[cs]es?|files?|tests?|specs?|examples?|links?|warnings?|checks?)\b(?!:)/i,
    ],
  },
  {
    kind: 'error',
    isHeading: true,
    // Python, Gradle, Biome
    patterns: [/^\s*Traceback \(most recent call last\)/, /^\* What went wrong:/, /^\S.{1,300} ━{3,}/],
  },
  {
    kind: 'error',
    patterns: [
      TIME_OUT,
      /^Error response from daemon: /,
      /^\W{0,4}(?:\w{1,30}[:\]] {0,2})?\[?(?:ERROR|FATAL|SEVERE|CRITICAL|FAILURE|Fatal|Error|fatal|error)\]?[:!](?:\s|$)/,
      /^\W{0,4}\[?(?:ERROR|FATAL|SEVERE|CRITICAL)\]? +\W{0,3}\w|^\[(?:error|fatal)\] +[^\s\d]/,
      /^#\d+ (?:[\d.]+ )?ERROR\b/,
      /^\s{0,8}(?:Caused by: |Exception in thread "[^"]{0,100}" |Uncaught |Unhandled )?(?:[\w$-]{1,100}[.:\\]{1,2}){0,20}[A-Z][\w$]{0,100}(?:Error|Exception|Failure|Interrupt)(?:Details)?\b(?:: |$| \[)/,
      // An exception of Elixir
      /^\s{0,8}\*\* \([A-Z][\w.]{0,100}\) \S/,
      // What a server answered
      /\bHTTP(?:\/[\d.]{1,3})?:? (?:(?:status|error|code|response):? ){0,2}[45]\d\d\b/,
      /\bfailed (?:on|at) line \d/,
      /\S, exiting with (?:code|status) [1-9]/,
      // Of a list of checks, the others of which are well
      /\S[:.… ] {0,60}(?:FAIL|ERROR)(?: \([^()]{1,40}\))?$/,
      /Segmentation fault|core dumped|SIGSEGV|SIGABRT|SIGBUS|SIGKILL/,
      /: (?:command )?not found$|^command not found: | is not recognized as (?:the name of|an internal or external) /,
      /: (?:No such file or directory|Permission denied|Connection refused)$/,
      /^E: \S/,
      /^(?:\w{1,30} ){0,2}(?:Error|ERROR|error) (?:at|in|while|when|during|near)\b/,
      /^\s{0,8}(?:nl)?[❌✖✗✘⨯×]\s{1,4}\S/,
      /^SUMMARY: \w{1,30}Sanitizer: /,
      /^curl: \(\d+\) /,
      /(?:^|\s)(?:fatal|error)(?: \([^()]{1,80}\))?: \S/,
      /^(?:\S{1,100}: line \d+: +\d+ )?Killed\b/,
      /\berror (?:code |during|while|in|running)\b.{0,200}:/i,
      /\bFAIL(?:ED)?:|\bFAILURE\b|\bFAILED\b/,
      /^Could not (?:resolve|find|determine|create|open|load|GET)/,
    ],
  },
  {
    kind: 'weak',
    patterns: [
      /\b(?:errors?|fail(?:ed|s|ure|ures|ing)?|fatal|cannot|can't|could not|couldn't|unable to|not found|no such|undefined|denied|refused|abort(?:ed|ing)?|killed|timed ?out|time-?out|invalid|missing|unexpected|corrupt\w{0,3}|conflicts?|mismatch|violat\w{1,5}|crashe?[sd]?|cancel(?:l?ed)|exceeded|shutdown|dirty|out of sync|refusing|unhealthy|wrong|bad|not up-to-date|unsafe)\b/i,
    ],
  },
];

export interface ErrorMatch {
  readonly kind: ErrorKind;
  /** A heading, which says nothing of the cause by itself. */
  readonly isHeading: boolean;
}

const HARMLESS = ERROR_PATTERNS.filter(({ kind }) => kind === 'harmless').flatMap(({ patterns }) => patterns);

/** What a line shows; null: nothing. `isMarked`: the runner itself calls it an error. */
export function matchError(text: string, isMarked: boolean): ErrorMatch | null {
  const row = ERROR_PATTERNS.find(({ patterns }) => patterns.some((pattern) => pattern.test(text)));
  if (isMarked && (!row || row.kind === 'weak' || row.kind === 'harmless')) return { kind: 'error', isHeading: false };
  if (!row || row.kind === 'harmless') return null;
  if (row.kind === 'error' && isOnlyFailed(text)) return { kind: 'summary', isHeading: false };
  return { kind: row.kind, isHeading: row.isHeading ?? false };
}

/** Whether tools print such a line when all is well, with words of trouble in it or not. */
export function isHarmless(text: string): boolean {
  return HARMLESS.some((pattern) => pattern.test(text));
}
