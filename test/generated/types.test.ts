/** Our types and those that json-schema-to-typescript makes of the published schemas are assignable both ways. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { compile } from 'json-schema-to-typescript'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { componentSchemas, type Schema } from '../support/schemas.ts'
import { tempDirectory } from '../support/temp.ts'

const types = suite('generated: types against json-schema-to-typescript')

const declarations = new URL('../../generated/apis/', import.meta.url)
const scratch = tempDirectory()
const json = `import('${fileURLToPath(new URL('../../runtime/kernel/values/json.js', import.meta.url))}').JsonObject`

const compared = {
  'core/v1/pod': ['PodSpec', 'PodStatus', 'PodTemplateSpec'],
  'core/v1/service': ['ServiceSpec', 'ServicePort'],
  'core/v1/node': ['NodeSpec', 'NodeStatus'],
  'apps/v1/deployment': ['DeploymentSpec', 'DeploymentStatus'],
  'coordination/v1': ['LeaseSpec'],
}

const helpers = `
type Plain<T> = T extends string | number | boolean | ${json} ? T
  : T extends readonly (infer U)[] ? Plain<U>[]
  : T extends object ? { -readonly [K in keyof T]: Plain<Exclude<T[K], null>> }
  : T
type Same<A, B> = [Plain<A>] extends [Plain<B>] ? ([Plain<B>] extends [Plain<A>] ? true : 'theirs is wider') : 'ours is wider'
`

/** The packages of the compared types: a short name would mean two things if there were more. */
const homes = /\.(apimachinery|api\.(core|apps|coordination))\./

/** One name for each schema, closed objects, and texts where our types are texts. */
function prepared(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(prepared)
  if (typeof node !== 'object' || node === null) return node
  const schema = node as Schema
  if (schema.format === 'quantity') return { type: 'string' }
  const { type, properties, additionalProperties } = schema
  if (type === 'object' && !properties && !additionalProperties) return { tsType: json }
  const entries = Object.entries(schema).map(([key, value]) => [key, prepared(value)])
  const closed = schema.type === 'object' && schema.additionalProperties === undefined
  return { ...Object.fromEntries(entries), ...(closed && { additionalProperties: false }) }
}

async function theirs(): Promise<string> {
  const schemas = Object.entries(await componentSchemas())
  const short = (text: string): string => text.replace(/io\.orch\.[\w.]*\.(\w+)/g, '$1')
  const compact = schemas.filter(([name]) => homes.test(name))
  const ours = compact.filter(([name]) => !/\.(meta|apidiscovery)\..*(List|Status)$/.test(name))
  const definitions = JSON.parse(short(JSON.stringify(prepared(Object.fromEntries(ours)))))
  return compile({ title: 'All', type: 'object', definitions } as never, 'All', {
    unreachableDefinitions: true,
    bannerComment: '',
    format: false,
  })
}

function comparisons(): string {
  return Object.entries(compared)
    .flatMap(([module, names]) =>
      names.map((name) => {
        const ours = `import('${fileURLToPath(new URL(`${module}.js`, declarations))}').${name}`
        return `export const is${name}: Same<${ours}, Theirs.${name}> = true`
      }),
    )
    .join('\n')
}

types('both say the same of every compared type', async () => {
  await writeFile(`${scratch}/theirs.mts`, await theirs())
  const text = `import type * as Theirs from './theirs.mts'\n${helpers}\n${comparisons()}\n`
  await writeFile(`${scratch}/check.mts`, text)
  assert.is(await check(), '')
})

/** What the native compiler has to say. */
async function check(): Promise<string> {
  const compiler = fileURLToPath(import.meta.resolve('typescript-7/package.json')).replace(
    'package.json',
    'bin/tsc',
  )
  const flags =
    '--ignoreConfig --noEmit --strict --skipLibCheck --allowImportingTsExtensions --module nodenext --target es2022'
  const run = promisify(execFile)(process.execPath, [
    compiler,
    ...flags.split(' '),
    `${scratch}/check.mts`,
  ])
  return run.then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}

types.run()
