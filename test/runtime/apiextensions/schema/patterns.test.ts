/** How long a program a pattern becomes, told before it is compiled, and what a schema may have of them (C-10). */
import '../../../../tools/test/guard.ts'
import { RE2JS } from 're2js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { countInstructions } from '../../../../runtime/apiextensions/schema/pattern-size.ts'
import { compilePattern } from '../../../../runtime/apiextensions/schema/patterns.ts'
import { refusals } from '../../../support/schema-cases.ts'

const test = suite('runtime/apiextensions: patterns')

const patterns = [
  '(((a{10}){10}){9}1)',
  '^[a-z]{1,20}(12|x+)*$',
  '[]a]{40}',
  '[^]\\]a]{40}',
  '\\pL{900}x$',
  '(?:abc|def){100}',
  '^(?P<x>a.c){30}$',
  '([ab]{1,50}c?){1,15}$',
  '\\x{1F600}{500}',
  '[[:alpha:]]{300}',
  '(a{0,3}){100}',
  `(${'[ab]?'.repeat(15)}){300}$`,
  '^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\\.)*[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
]

for (const pattern of patterns) {
  test(`the length of ${pattern.slice(0, 40)} is known from its text`, () => {
    const [told, real] = [countInstructions(pattern), RE2JS.compile(pattern).programSize()]
    assert.ok(told > real / 2 && told < real * 2, `${told}, not ${real}`)
  })
}

test('a text of any form is looked at once, up to a bound', () => {
  for (const text of ['([', '\\', '[', '[^', 'a{', '{1}', ')', '((((', 'a{1', 'a{9999}{9999}']) {
    assert.ok(Number.isFinite(countInstructions(text.repeat(50_000))), text)
  }
})

const field = (schema: object) => ({ type: 'object', properties: { a: schema } })

test('a pattern that compiles to very many instructions is refused without compiling it', () => {
  const text = `(${'[ab]?'.repeat(300)}){1000}`
  assert.is(compilePattern(text), 'it compiles to more than 10000 instructions')
  assert.match(
    refusals(field({ type: 'string', pattern: text })).join(),
    /must be a valid regular expression, but isn't: it compiles to more than 10000 instructions$/,
  )
})

test('the patterns of a schema have a bound together; the same one counts once', () => {
  const with60 = (pattern: (index: number) => string) =>
    Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `p${index}`,
        { type: 'string', pattern: pattern(index) },
      ]),
    )
  const long = '(.{90}){10}'.repeat(10)
  const same = { type: 'object', properties: with60(() => long) }
  assert.equal(refusals(same), [])
  const different = { type: 'object', properties: with60((index) => `${long}${index}`) }
  assert.equal(refusals(different), [
    's: Forbidden: its patterns compile to more than 500000 instructions together',
  ])
})

test.run()
