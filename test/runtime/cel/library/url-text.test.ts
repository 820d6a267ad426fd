import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  hostnameOf,
  parseUrl,
  portOf,
  queryOf,
  type UrlParts,
} from '../../../../runtime/cel/library/url-text.ts'

const test = suite('runtime/cel/library/url-text')

function parts(text: string): UrlParts {
  const found = parseUrl(text)
  if ('error' in found) throw new Error(found.error)
  return found
}

// [url, scheme, host, hostname, port, escaped path]
const good: readonly (readonly [string, string, string, string, string, string])[] = [
  [
    'https://user:pass@example.com:80/path?query=val#f',
    'https',
    'example.com:80',
    'example.com',
    '80',
    '/path',
  ],
  ['/absolute-path', '', '', '', '', '/absolute-path'],
  ['https://[::1]:80/', 'https', '[::1]:80', '::1', '80', '/'],
  ['https://[::1]/', 'https', '[::1]', '::1', '', '/'],
  ['https://[fe80::1%25en0]/', 'https', '[fe80::1%en0]', 'fe80::1%en0', '', '/'],
  ['HTTPS://Example.com', 'https', 'Example.com', 'Example.com', '', ''],
  [
    'https://example.com/path with spaces/',
    'https',
    'example.com',
    'example.com',
    '',
    '/path%20with%20spaces/',
  ],
  ['https://example.com/a%2Fb', 'https', 'example.com', 'example.com', '', '/a%2Fb'],
  ['mailto:a@b', 'mailto', '', '', '', ''],
  ['/a/\u{1f600}', '', '', '', '', '/a/%F0%9F%98%80'],
  ['https://example.com:/', 'https', 'example.com:', 'example.com', '', '/'],
]
for (const [text, scheme, host, hostname, port, path] of good) {
  test(`${text} is taken apart (A2.47)`, () => {
    const found = parts(text)
    assert.equal(
      [found.scheme, found.host, hostnameOf(found), portOf(found), found.escapedPath],
      [scheme, host, hostname, port, path],
    )
  })
}

const bad: readonly (readonly [string, string])[] = [
  ['https://a:b:c/', 'parse "https://a:b:c/": invalid port ":c" after host'],
  ['../relative-path', 'parse "../relative-path": invalid URI for request'],
  ['', 'parse "": empty url'],
  [':80', 'parse ":80": missing protocol scheme'],
  ['https://a b/', 'parse "https://a b/": invalid character " " in host name'],
  ['https://[::1/', 'parse "https://[::1/": missing \']\' in host'],
  ['/%zz', 'parse "/%zz": invalid URL escape "%zz"'],
  ['/a\nb', 'parse "/a\\nb": net/url: invalid control character in URL'],
]
for (const [text, error] of bad) {
  test(`${JSON.stringify(text)} is no URL`, () => {
    assert.equal(parseUrl(text), { error })
  })
}

test('a query has every value of a key, unescaped, and leaves out what cannot be read', () => {
  const query = queryOf(
    parts('https://h/p?k1=a&k2=b&k2=c%20d&x+y=1+2&bad=%zz&s;t=1&__proto__=x#k3=z'),
  )
  assert.equal(
    [...query],
    [
      ['k1', ['a']],
      ['k2', ['b', 'c d']],
      ['x y', ['1 2']],
      ['__proto__', ['x']],
    ],
  )
})

test.run()
