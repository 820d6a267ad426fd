import * as assert from 'uvu/assert'
import { configMaps, kindAt } from '../../../../support/registry.ts'
import { creations, refusals, stored, updates, writing } from '../../tables.ts'

const test = writing('runtime/apis: config maps and secrets')
const secrets = kindAt('api/v1/secrets')

const encoded = (text: string) => Buffer.from(text).toString('base64')
const mebibyte = 1024 * 1024
const keyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
const frozen = 'Forbidden: field is immutable when `immutable` is set'

// I-09, M-18
creations(test, secrets, [
  ['a secret is opaque by default', {}, (o) => o.type, 'Opaque'],
  [
    'plain text is merged into the data and wins',
    { data: { a: encoded('1'), b: encoded('2') }, stringData: { b: 'ü' } },
    (o) => o.data,
    { a: encoded('1'), b: encoded('ü') },
  ],
  ['plain text is never stored', { stringData: { a: '1' } }, (o) => o.stringData, undefined],
])

const typed = (type: string, stringData: object = {}, annotations: object = {}) => ({
  metadata: { annotations },
  type,
  stringData,
})
refusals(test, secrets, [
  ['keys are file names', { data: { 'a/b': '' } }, [`data[a/b]: Invalid value: "a/b": ${keyRule}`]],
  [
    'a secret has at most 1 MiB',
    { stringData: { a: 'x'.repeat(mebibyte), b: 'x' } },
    ['data: Too long: must have at most 1048576 bytes'],
  ],
  ['1 MiB is allowed', { stringData: { a: 'x'.repeat(mebibyte) } }, []],
  [
    'tls needs certificate and key',
    typed('orch.io/tls'),
    ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
  ],
  ['tls with both is stored', typed('orch.io/tls', { 'tls.crt': '', 'tls.key': '' }), []],
  ['ssh needs a key', typed('orch.io/ssh-auth'), ['data[ssh-privatekey]: Required value']],
  [
    'basic needs one of two',
    typed('orch.io/basic-auth'),
    ['data[username]: Required value', 'data[password]: Required value'],
  ],
  ['basic with one of two is stored', typed('orch.io/basic-auth', { password: 'x' }), []],
  [
    'docker needs its file',
    typed('orch.io/dockerconfigjson'),
    ['data[.dockerconfigjson]: Required value'],
  ],
  [
    'the file is JSON and does not leak',
    typed('orch.io/dockercfg', { '.dockercfg': 'password' }),
    ['data[.dockercfg]: Invalid value: "<secret contents redacted>": must be JSON'],
  ],
  [
    'a token names its account',
    typed('orch.io/service-account-token'),
    ['metadata.annotations[orch.io/service-account.name]: Required value'],
  ],
  ['any other type is free', typed('example.com/any'), []],
])

updates(test, secrets, { stringData: { a: '1' } }, [
  ['data may change', (o) => ({ ...o, stringData: { a: '2' } }), []],
  [
    'the type may not change',
    (o) => ({ ...o, type: 'example.com/any' }),
    ['type: Invalid value: "example.com/any": field is immutable'],
  ],
])

updates(test, secrets, { immutable: true, stringData: { a: '1' } }, [
  ['frozen data may not change', (o) => ({ ...o, stringData: { a: '2' } }), [`data: ${frozen}`]],
  ['frozen data may not thaw', (o) => ({ ...o, immutable: false }), [`immutable: ${frozen}`]],
  [
    'frozen data may be labelled',
    (o) => ({ ...o, metadata: { ...o.metadata, labels: { a: 'b' } } }),
    [],
  ],
])

// I-10
refusals(test, configMaps, [
  [
    'keys of text and binary data are disjoint',
    { data: { a: 'x' }, binaryData: { a: 'eA==' } },
    ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
  ],
  [
    'keys are file names',
    { data: { '..': '' } },
    ['data[..]: Invalid value: "..": must not be \'..\''],
  ],
  [
    'text and binary data have at most 1 MiB together',
    { data: { a: 'x'.repeat(mebibyte) }, binaryData: { b: 'eA==' } },
    ['[]: Too long: must have at most 1048576 bytes'],
  ],
])

updates(test, configMaps, { immutable: true, data: { a: '1' } }, [
  [
    'a frozen map changes in its metadata only',
    (o) => ({ ...o, immutable: false, data: {}, binaryData: { b: '' } }),
    [`immutable: ${frozen}`, `data: ${frozen}`, `binaryData: ${frozen}`],
  ],
])

test('a key that means something to JavaScript is a key like any other', async ({ writer }) => {
  const given = JSON.parse('{"data":{"__proto__":"x","constructor":"y"}}')
  const { data } = stored(await writer.create(configMaps, given))
  assert.equal(Object.entries(data as object), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ])
})

test.run()
