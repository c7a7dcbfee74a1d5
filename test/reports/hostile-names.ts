import fc from 'fast-check';

/** Names that mean something to a browser, a template, a spreadsheet, a shell or a file system. */
export const HOSTILE_NAMES: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><script>alert(1)</script>',
  '</title><svg onload=alert(1)>',
  '<!-- ',
  ']]>',
  '&lt;b&gt; &amp; &#60;',
  '{{constructor}} {{{css}}}',
  '{{> table}}',
  "=cmd|' /C calc'!A0",
  '@SUM(1+1)*cmd|x',
  '+1',
  '-1+1|x',
  '＝1+1',
  'a,b"c;d',
  '\u202Egpj.exe\u202C',
  '中文 租户',
  '🦊',
  '  ',
  '..',
  'a/b\\c',
  'CON',
  'constructor',
  '__proto__',
  'javascript:alert(1)',
  'x'.repeat(128),
];

/** Any name that the events' schema lets in: 1 to 128 characters without controls. */
export const anyName = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...HOSTILE_NAMES),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).map((name) => name.replace(/\p{Cc}/gu, 'x')),
    fc.string({ unit: fc.constantFrom(...'<>&"\'`={}/\\;,-+@ ax!'), minLength: 1, maxLength: 40 }),
  );
