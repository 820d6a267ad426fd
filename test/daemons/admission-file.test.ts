/** The file of `--admission-control-config-file`: what plugins are told, and everything that is wrong, with its place. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readAdmissionFile } from '../../daemons/apiserver/admission-file.ts'
import { configKinds } from '../../generated/config.ts'
import { tempDirectory } from '../support/temp.ts'

const test = suite('daemons: settings of admission plugins')

const home = tempDirectory()
const levels =
  'apiVersion: pod-security.admission.config.orch.io/v1\nkind: PodSecurityConfiguration\n'
const plugins = 'apiVersion: apiserver.config.orch.io/v1\nkind: AdmissionConfiguration\nplugins:\n'

/** Reads a file whose plugins are these, beside one of the levels of PodSecurity; `DIR` stands for their folder. */
async function read(list: string, beside = `${levels}defaults: { enforce: baseline }\n`) {
  const folder = mkdtempSync(join(home, 'case-'))
  const file = join(folder, 'admission.yaml')
  mkdirSync(join(folder, 'folder'))
  writeFileSync(file, plugins + list)
  writeFileSync(join(folder, 'levels.yaml'), beside)
  const { settings, problems } = await readAdmissionFile(file, configKinds)
  return { settings, problems: problems.map((text) => text.replaceAll(folder, 'DIR')) }
}

const named = '- { name: PodSecurity, path: levels.yaml }\n'

const good: readonly (readonly [what: string, list: string, names: readonly string[]])[] = [
  ['a file of its own', named, ['PodSecurity']],
  [
    'settings in place',
    `- name: PodSecurity\n  configuration:\n${levels.replace(/^(?=.)/gm, '    ')}`,
    ['PodSecurity'],
  ],
  ['nothing', '- { name: PodSecurity }\n', []],
  ['nothing, in so many words', '- { name: PodSecurity, configuration: null }\n', []],
]

for (const [what, list, names] of good) {
  test(`a plugin may be told by ${what}`, async () => {
    const { settings, problems } = await read(list)
    assert.equal(problems, [])
    assert.equal(Object.keys(settings), names)
  })
}

test('without a file nothing is told', async () => {
  assert.equal(await readAdmissionFile('', configKinds), { settings: {}, problems: [] })
})

const bad: readonly (readonly [
  list: string,
  beside: string | undefined,
  problems: readonly string[],
])[] = [
  [
    named,
    `${levels}defaults: 5\n`,
    ['DIR/levels.yaml:3:11: defaults: must be a mapping, not a number'],
  ],
  [
    named,
    `${levels}defaults: { enforce: 7, audit-version: v2 }\nexemptions: { usernames: ann, namespaces: [1] }\n`,
    [
      'DIR/levels.yaml:3:22: defaults.enforce: must be a string, not a number',
      'DIR/levels.yaml:3:40: defaults.audit-version: must be "latest" or "v1.x"',
      'DIR/levels.yaml:4:26: exemptions.usernames: must be a list, not a string',
      'DIR/levels.yaml:4:44: exemptions.namespaces[0]: must be a string, not a number',
    ],
  ],
  [
    named,
    'kind: Pod\napiVersion: v1\n',
    [
      'DIR/levels.yaml:1:1: expected a PodSecurityConfiguration, not v1/Pod; did you mean pod-security.admission.config.orch.io/v1/PodSecurityConfiguration?',
    ],
  ],
  [
    '- { name: PodSecurity, path: folder }\n',
    undefined,
    ['--admission-control-config-file: DIR/folder: is a folder'],
  ],
  [
    '- { name: PodSecurity, path: none.yaml }\n',
    undefined,
    ['--admission-control-config-file: DIR/none.yaml: there is no such file or folder'],
  ],
  [
    named + named,
    undefined,
    ['DIR/admission.yaml:5:11: plugins[1].name: Duplicate value: "PodSecurity"'],
  ],
  [
    '- { name: __proto__ }\n',
    undefined,
    ['DIR/admission.yaml:4:11: admission plugin "__proto__" is unknown'],
  ],
  [
    `- { name: PodSecurity, path: levels.yaml, configuration: { kind: X } }\n`,
    undefined,
    [
      'DIR/admission.yaml:4:30: plugins[0].path: must not be set together with plugins[0].configuration',
    ],
  ],
]

for (const [list, beside, problems] of bad) {
  test(`it is wrong, and where: ${problems[0]?.slice(0, 90)}`, async () => {
    assert.equal((await read(list, beside)).problems, problems)
  })
}

test.run()
