/** The flags of other servers, by the daemon that reads them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkApiServer } from '../support/check-config.ts'
import { tempDirectory } from '../support/temp.ts'
import { clientPair, newAuthority } from '../support/tls.ts'

const test = suite('daemons/apiserver: flags of other servers')
const folder = tempDirectory()
const at = (name: string) => join(folder, name)
const authority = await newAuthority()
const [pair, other] = [await clientPair(authority, 'front'), await clientPair(authority, 'other')]
await writeFile(at('proxy.crt'), pair.cert)
await writeFile(at('proxy.key'), pair.key)
await writeFile(at('other.key'), other.key)

const cert = `--proxy-client-cert-file=${at('proxy.crt')}`
const cases: readonly (readonly [string, readonly string[], string])[] = [
  ['half a pair', [cert], 'belong together: give both, or neither'],
  ['a file that is not there', [cert, '--proxy-client-key-file=/none'], '/none'],
  [
    'a key of another certificate',
    [cert, `--proxy-client-key-file=${at('other.key')}`],
    'the key is not that of the certificate',
  ],
  [
    'a pair',
    [cert, `--proxy-client-key-file=${at('proxy.key')}`, '--enable-aggregator-routing'],
    '',
  ],
]
for (const [what, args, problem] of cases) {
  test(`${what}: ${problem || 'the server starts'}`, async () => {
    const { code, stderr } = await checkApiServer(...args)
    assert.is(code, problem === '' ? 0 : 1, stderr)
    assert.match(stderr, problem)
  })
}

test.run()
