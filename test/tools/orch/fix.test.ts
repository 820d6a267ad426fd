/** `orch fix` and `orch why` as users start them. */
import { mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runFix } from '../../../tools/orch/fix.ts'
import { runWhy } from '../../../tools/orch/why.ts'

const test = suite<{ folder: string }>('tools/orch: fix and why')

test.before.each(async (context) => {
  context.folder = await mkdtemp(join(tmpdir(), 'orch-fix-'))
})
test.after.each(({ folder }) => rm(folder, { recursive: true }))

async function run(command: typeof runFix, ...args: readonly string[]) {
  const lines: string[] = []
  const errors: string[] = []
  const print = (line: string) => void lines.push(line)
  const printError = (line: string) => void errors.push(line)
  const code = await command({ args, environment: {}, width: 100, print, printError })
  return { code, text: lines.join('\n'), errors: errors.join('\n') }
}

const text = `# the web server
apiVersion: apps/v1
kind: Deployment
metadata: {name: web,   annotations: {port: 8080}} # not laid out
spec:
    replicas: "2"
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec:
        containers:
        - {name: web, image: a, image_pull_policy: Always}
`

test('safe changes are made, and every other byte stays', async ({ folder }) => {
  const file = join(folder, 'a.yaml')
  const fixed = text
    .replace('port: 8080', 'port: "8080"')
    .replace('"2"', '2')
    .replace('image_pull_policy', 'imagePullPolicy')
  for (const [before, after] of [
    [text, fixed],
    [`\uFEFF${text}`, `\uFEFF${fixed}`],
    [text.replaceAll('\n', '\r\n'), fixed.replaceAll('\n', '\r\n')],
  ] as const) {
    await writeFile(file, before)
    assert.is((await run(runFix, folder)).code, 0)
    assert.is(await readFile(file, 'utf8'), after)
  }
})

test('a file that is changed keeps who may read it, and a link leads to it still', async ({
  folder,
}) => {
  const elsewhere = join(folder, 'elsewhere.txt')
  const link = join(folder, 'a.yaml')
  await writeFile(elsewhere, text, { mode: 0o600 })
  await symlink(elsewhere, link)
  assert.is((await run(runFix, link)).code, 0)
  assert.is(await readlink(link), elsewhere)
  assert.match(await readFile(elsewhere, 'utf8'), 'replicas: 2')
  assert.is((await stat(elsewhere)).mode & 0o777, 0o600)
})

test('a dry run shows the changes and writes nothing', async ({ folder }) => {
  const file = join(folder, 'a.yaml')
  await writeFile(file, text)
  const { code, text: shown } = await run(runFix, '--dry-run', folder)
  assert.is(code, 1)
  assert.match(shown, '-    replicas: "2"\n+    replicas: 2')
  assert.is(await readFile(file, 'utf8'), text)
})

test('what is not safe to change stays', async ({ folder }) => {
  const file = join(folder, 'a.yaml')
  const wrong = text.replace('"2"', 'two').replace('8080', 'a').replace('_pull_policy', 'Pul')
  await writeFile(file, wrong)
  assert.match((await run(runFix, folder)).text, '0 files changed')
  assert.is(await readFile(file, 'utf8'), wrong)
})

test('a finding is told with its file, the line of the schema and the generated type', async ({
  folder,
}) => {
  const file = join(folder, 'a.yaml')
  await writeFile(file, text)
  const { code, text: told } = await run(runWhy, `${file}:6:15`)
  assert.is(code, 0)
  assert.match(told, `file       ${file}:6:15`)
  assert.match(told, /schema {5}.*schemas\/api\/apps\/v1\/deployment\.yaml:\d+/)
  assert.match(told, 'generated  generated/apis/apps/v1/deployment.ts DeploymentSpec.replicas')
  assert.match(told, 'write it without quotes: orch fix')
})

test('a rule is told by its name, and what is no finding is said', async ({ folder }) => {
  const file = join(folder, 'a.yaml')
  await writeFile(file, text)
  assert.match((await run(runWhy, 'field.unknown')).text, 'A field is one of its type.')
  assert.match((await run(runWhy, 'field.unknowns')).errors, 'did you mean field.unknown?')
  assert.is((await run(runWhy, `${file}:1`)).code, 1)
  assert.is((await run(runWhy, join(folder, 'none.yaml:1'))).code, 2)
})

test.run()
