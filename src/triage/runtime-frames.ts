// Frames of languages' own runtimes and test runners: never where a project's fault is.
import type { Frame } from './frames/frame.ts';

const RUNTIME_PATH =
  /^(?:node:|internal\/|native|<|\[native|evalmachine|bootstrap_node)|(?:^|\/)rustc\/[0-9a-f]{7,40}\/|(?:^|\/)rust\/library\/|(?:^|\/)library\/(?:std|core|alloc|test)\/src\/|(?:^|\/)(?:usr\/local|usr\/lib|usr\/share|opt|hostedtoolcache)\/(?:[\w.@-]{1,40}\/){0,3}go(?:[-\d.]{1,20})?(?:\/[\d.]{1,12}\/[\w-]{1,20})?\/src\/|(?:^|\/)lib\/python\d(?:\.\d{1,2})?\/(?!site-packages|dist-packages)|^\/?_\/src\//;
const RUNTIME_SYMBOL =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx\.coroutines|scala|groovy\.lang|System|Microsoft|org\.junit|junit|org\.gradle|org\.apache\.maven|worker\.org\.gradle|std|core|alloc|test|rust_begin_unwind|__rust|tokio::runtime|runtime|testing)(?:[.:]|$)/;

export function isRuntimeFrame(frame: Pick<Frame, 'file' | 'symbol' | 'language'>): boolean {
  if (frame.file !== '' && frame.language !== 'jvm' && RUNTIME_PATH.test(frame.file)) return true;
  return frame.symbol !== '' && RUNTIME_SYMBOL.test(frame.symbol.replace(/^[<&(]+/, ''));
}
