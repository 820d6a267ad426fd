/** The organizations of a request, and bytes that are none (Q-21). */
import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { organizationsInRequest } from '../../../../../runtime/admission/plugins/certificates/subject.ts'
import { der } from '../../../../support/authority.ts'
import { certificateRequest, organizationIs, requestOf } from '../../../../support/certificates.ts'

const test = suite('runtime/admission: subjects of certificate requests')

const utf16 = (text: string) => Buffer.from(text, 'utf16le').swap16()
const name = der(0x30, der(0x06, Buffer.from([0x55, 0x04, 0x03])), der(0x0c, Buffer.from('ann')))
const half = Buffer.concat([utf16('ab'), Buffer.from([0x63])])

const table: readonly (readonly [
  what: string,
  pem: string,
  want: readonly string[] | undefined,
])[] = [
  ['a real request', Buffer.from(certificateRequest, 'base64').toString(), ['example']],
  ['no name at all', requestOf(), []],
  ['a name without an organization', requestOf(name), []],
  ['two organizations', requestOf(organizationIs('a'), name, organizationIs('b')), ['a', 'b']],
  [
    'two in one part',
    requestOf(Buffer.concat([organizationIs('a'), organizationIs('b')])),
    ['a', 'b'],
  ],
  ['a printable text', requestOf(organizationIs(der(0x13, Buffer.from('a')))), ['a']],
  ['two bytes a character', requestOf(organizationIs(der(0x1e, utf16('äb')))), ['äb']],
  ['half a character', requestOf(organizationIs(der(0x1e, half))), ['ab']],
  ['a long name', requestOf(organizationIs('x'.repeat(500))), ['x'.repeat(500)]],
  [
    'an organization without a value',
    requestOf(der(0x30, der(0x06, Buffer.from([0x55, 4, 10])))),
    [],
  ],
  ['no request', 'hello', undefined],
  ['a certificate', requestOf().replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'), undefined],
  ['a request of nothing', requestOf().replace(/\n.*\n/, '\n\n'), undefined],
]

for (const [what, pem, want] of table) {
  test(`${what} names ${want === undefined ? 'nothing' : `${want.length}`}`, () => {
    assert.equal(organizationsInRequest(pem), want)
  })
}

test('whatever the bytes are, there is an answer', () => {
  const bytes = fc.uint8Array({ maxLength: 60 }).map((some) => Buffer.from(some))
  const shapes = fc.oneof(
    bytes.map((some) => requestOf(organizationIs(some))),
    bytes.map((some) => requestOf(some)),
    bytes.map((some) => requestOf().replace(/\n.*\n/, `\n${some.toString('base64')}\n`)),
    fc
      .tuple(fc.integer({ min: 0, max: 255 }), bytes)
      .map(([tag, some]) => requestOf(organizationIs(der(tag, some)))),
  )
  fc.assert(
    fc.property(shapes, (pem) => {
      const found = organizationsInRequest(pem)
      return found === undefined || found.every((one) => typeof one === 'string')
    }),
    { numRuns: 2000 },
  )
})

test.run()
