// Frames of a language's own runtime, by where it is installed and by its names.

const RUNTIME_PATH =
  /^(?:node:|internal\/|native|<[^/\\]*$|\[native|evalmachine|bootstrap_node)|(?:^|\/)rustc\/[0-9a-f]{7,40}\/|(?:^|\/)rust\/library\/|(?:^|\/)library\/(?:std|core|alloc|test)\/src\/|(?:^|\/)(?:usr\/local|usr\/lib|usr\/share|opt|hostedtoolcache)\/(?:[\w.@-]{1,40}\/){0,3}go(?:[-\d.]{1,20})?(?:\/[\d.]{1,12}\/[\w-]{1,20})?\/src\/|(?:^|\/)lib\/python\d(?:\.\d{1,2})?\/(?!site-packages|dist-packages)|^\/?_\/src\/|^dart:|(?:^|\/)lib\/ruby\/(?:\d[\d.]{0,10}|site_ruby|vendor_ruby)\/(?!gems\/)|^\/usr\/(?:include|lib\/gcc|bin\/\.\.\/lib\/gcc)\/|(?:^|\/)(?:libsanitizer|compiler-rt|libstdc\+\+-v3|sysdeps)\/|(?:^|\/)runtime\/src\/main\/kotlin\/kotlin\//;

const RUNTIME_SYMBOL =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx\.coroutines|scala|groovy\.lang|System|Microsoft|org\.junit|junit|org\.gradle|org\.apache\.maven|worker\.org\.gradle|std|core|alloc|test|rust_begin_unwind|__rust|tokio::runtime|runtime|testing)(?:[.:]|$)/;

/** Libraries of C, C++, Swift and their systems, and what Elixir comes with. */
const RUNTIME_LIBRARY =
  /^(?:lib(?:swift\w{0,40}|system_\w{1,40}|objc|dispatch|dyld|c|m|dl|rt|pthread|gcc_s|stdc\+\+|c\+\+|c\+\+abi|[atu]b?san|clang_rt)(?:[.-]|$)|(?:dyld|ld-linux|CoreFoundation|Foundation|UIKit|UIKitCore|AppKit|SwiftUI|GraphicsServices|QuartzCore|CFNetwork|ntdll|KERNEL32|KERNELBASE|USER32|ucrtbased?|msvcrt|elixir|stdlib|kernel|mix|ex_unit|iex|logger|compiler)(?:\.(?:dll|dylib|so)|[-.\d]{1,20}|$))/i;

/** As far as a stack names it; "" for what it does not. */
export interface RuntimeFrame {
  readonly file: string;
  readonly symbol: string;
  /** `jvm` where the file is a name without its folder. */
  readonly language: string;
  /** Its library or package, with or without a folder. */
  readonly of?: string | undefined;
}

/** Whether the frame is the language's own, and of no project. */
export function isRuntimeFrame(frame: RuntimeFrame): boolean {
  if (frame.file !== '' && frame.language !== 'jvm' && RUNTIME_PATH.test(frame.file)) return true;
  const library = frame.of?.replace(/^.{0,400}[\\/]/, '') ?? '';
  if (library !== '' && RUNTIME_LIBRARY.test(library)) return true;
  return frame.symbol !== '' && RUNTIME_SYMBOL.test(frame.symbol.replace(/^[<&(]+/, ''));
}
