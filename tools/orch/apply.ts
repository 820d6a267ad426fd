/** `orch apply`: makes a server have the objects of files; and `orch diff -f`, which says what that would change. */
import { rename, writeFile } from 'node:fs/promises'
import type { Terminal } from '../../daemons/run.ts'
import { packageVersion } from '../../daemons/version.ts'
import { applySetOf } from './apply/apply-set.ts'
import { carryOut } from './apply/carry-out.ts'
import { readObjects } from './apply/objects.ts'
import { type Action, type PlanOptions, planOf, planText, readPlan, replan } from './apply/plan.ts'
import { type ClientLine, runClientCommand } from './client-command.ts'
import { valueText } from './history/target.ts'

const sharedFlags = {
  applyset: { type: 'string' },
  file: { type: 'string', short: 'f', multiple: true, default: [] as string[] },
  'field-manager': { type: 'string', default: 'orch' },
  'force-conflicts': { type: 'boolean', default: false },
  prune: { type: 'boolean', default: false },
} as const

const sharedHelp = `      --applyset NAME        what is applied is a set, kept on the secret NAME (or secrets/NAME, configmaps/NAME) as kubectl keeps it
      --context NAME         the context of the orchconfig (default: its current one)
      --field-manager NAME   whose fields the applied ones are (default orch)
  -f, --file PATH            a file, a folder, a glob, or - for standard input; may be given several times
      --force-conflicts      take fields from managers that want other values
  -h, --help                 show this help
  -n, --namespace NS         the namespace of objects that state none (default: "default")
      --orchconfig FILE      how to reach the server (default: ORCHCONFIG, KUBECONFIG, ~/.orch/config)
      --prune                delete members of the set that no file has any more
`

const applyHelp = `Makes a server have the objects of files, by server-side apply with one field manager. What the server would do is asked in a dry run first, so that
nothing is written if an object is refused.

Usage:
  orch apply -f PATH... [flags]
  orch apply --plan FILE [flags]

  orch build production.config.ts | orch apply -f - --applyset shop --prune --wait
  orch apply -f manifests --plan-out shop.plan
  orch apply --plan shop.plan --wait --rollback-on-failure

Flags:
${sharedHelp}      --dry-run              tell what would be done, and do nothing
      --plan FILE            do what the plan says; refused if one of its objects has changed since
      --plan-out FILE        write the plan, and do nothing
      --rollback-on-failure  if anything fails, also while waiting, make what this run changed as it was
      --timeout SECONDS      how long to wait (default 300)
      --wait                 until every object is healthy, by what its kind says in its status

Exit codes: 0 done, 1 refused or failed, 2 the command line is wrong.`

const diffHelp = `Tells what orch apply would change on a server, field by field, and whose each field is now.

Usage:
  orch diff -f PATH... [flags]
  orch diff KIND NAME --from REVISION|TIME [--to REVISION|TIME]    between versions of one object: orch diff --help

Flags:
${sharedHelp}  -o, --output FORM          text or json (default text)

Exit codes: 0 nothing would change, 1 something would, 2 the command line is wrong or the server cannot tell.`

const applyFlags = {
  ...sharedFlags,
  'dry-run': { type: 'boolean', default: false },
  plan: { type: 'string' },
  'plan-out': { type: 'string' },
  'rollback-on-failure': { type: 'boolean', default: false },
  timeout: { type: 'string', default: '300' },
  wait: { type: 'boolean', default: false },
} as const

/** Runs `orch apply`. */
export function runApply(terminal: Terminal, signal?: AbortSignal): Promise<number> {
  return runClientCommand(
    {
      name: 'apply',
      help: applyHelp,
      flags: applyFlags,
      forms: ['text', 'json'],
      plainNames: true,
    },
    terminal,
    (line) => apply(line, signal),
  )
}

/** Runs `orch diff -f`. 0: nothing differs, 1: something does, 2: it cannot be told. */
export async function runDiffOfFiles(terminal: Terminal): Promise<number> {
  let differs = false
  const code = await runClientCommand(
    { name: 'diff', help: diffHelp, flags: sharedFlags, forms: ['text', 'json'], plainNames: true },
    terminal,
    async (line) => {
      const options = optionsOf(line)
      if (typeof options === 'string') return line.failed(2, options)
      const actions = await planOf(await line.connected(), await filesOf(line), {
        ...options,
        showConflicts: true,
      })
      differs = actions.some(({ does }) => does !== 'nothing')
      line.print(line.values.output === 'json' ? jsonOf(actions) : textOf(actions))
      return 0
    },
  )
  if (code !== 0) return 2
  return differs ? 1 : 0
}

async function apply(line: ClientLine, signal: AbortSignal | undefined): Promise<number> {
  const { values, failed, print, connected } = line
  const seconds = Number(values.timeout)
  if (!(seconds > 0 && seconds <= 86_400)) {
    return failed(2, `--timeout ${values.timeout}: has to be a number of seconds, at most a day`)
  }
  const planned = values.plan as string | undefined
  if (planned !== undefined) return applyPlan(line, planned, seconds * 1000, signal)
  const options = optionsOf(line)
  if (typeof options === 'string') return failed(2, options)
  const actions = await planOf(await connected(), await filesOf(line), options)
  const out = values['plan-out'] as string | undefined
  if (out !== undefined) {
    // It has the secrets that would be applied.
    const text = planText(actions, options, values.applyset as string | undefined)
    await writeFile(`${out}.tmp`, text, { mode: 0o600 })
    await rename(`${out}.tmp`, out)
  }
  if (out !== undefined || values['dry-run'] === true) {
    print(values.output === 'json' ? jsonOf(actions) : textOf(actions))
    return 0
  }
  await execute(line, actions, options, false, seconds * 1000, signal)
  return 0
}

async function applyPlan(
  line: ClientLine,
  file: string,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { values, failed, connected } = line
  if ((values.file as readonly string[]).length > 0) return failed(2, 'a plan has its own objects')
  const plan = await readPlan(file)
  const set = plan.applySet && applySetOf(plan.applySet, plan.namespace)
  const { actions, moved } = await replan(await connected(), plan)
  if (moved.length > 0) {
    return failed(1, `the plan is refused, since the world moved: ${moved.join('; ')}`)
  }
  const { manager, force, namespace, prune } = plan
  const options = { manager, force, namespace, prune, ...(set && { set }) }
  await execute(line, actions, options, true, timeout, signal)
  return 0
}

async function execute(
  { values, print, connected }: ClientLine,
  actions: readonly Action[],
  { manager, force, prune, set }: PlanOptions,
  unmoved: boolean,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  await carryOut(actions, {
    client: await connected(),
    ...{ manager, force, prune, unmoved, print },
    ...(set && { set }),
    ...(values.wait === true && { wait: timeout }),
    ...(signal && { signal }),
    rollback: values['rollback-on-failure'] === true,
    version: packageVersion(),
  })
}

function optionsOf({ values, words }: ClientLine): PlanOptions | string {
  if (words.length > 0) return `${words[0]}: paths stand behind -f`
  if ((values.file as readonly string[]).length === 0) return 'name files with -f'
  const namespace = String(values.namespace) || 'default'
  const text = values.applyset as string | undefined
  const set = text === undefined ? undefined : applySetOf(text, namespace)
  if (text !== undefined && set === undefined) {
    return `--applyset ${text}: has to be a name, secrets/NAME or configmaps/NAME`
  }
  const prune = values.prune === true
  if (prune && set === undefined) return '--prune needs --applyset: it deletes members of a set'
  return {
    manager: String(values['field-manager']),
    force: values['force-conflicts'] === true,
    ...{ namespace, prune },
    ...(set && { set }),
  }
}

function filesOf({ values }: ClientLine) {
  return readObjects(values.file as readonly string[])
}

const marks = { create: '+', change: '~', delete: '-', nothing: ' ' } as const

/** Each object that changes, and its fields. */
function textOf(actions: readonly Action[]): string {
  const changing = actions.filter(({ does }) => does !== 'nothing')
  if (changing.length === 0) return 'nothing changes'
  return changing
    .flatMap(({ does, wanted, changes, conflict }) => [
      `${marks[does]} ${wanted.title}`,
      ...(conflict === undefined ? [] : [`    refused without --force-conflicts: ${conflict}`]),
      ...changes.map(({ path, before, after, owners }) => {
        const who = owners.length === 0 ? '' : `  (${owners.join(', ')})`
        const [was, is] =
          wanted.resource.kind.kind === 'Secret' && /^(data|stringData)/.test(path)
            ? ['***', '***']
            : [valueText(before), valueText(after)]
        return `    ${path}: ${was} -> ${is}${who}`
      }),
    ])
    .join('\n')
}

function jsonOf(actions: readonly Action[]): string {
  const rows = actions.map(({ does, wanted, changes, conflict }) => ({
    does,
    object: wanted.title,
    ...(conflict !== undefined && { conflict }),
    changes:
      wanted.resource.kind.kind === 'Secret' ? changes.map(({ path }) => ({ path })) : changes,
  }))
  return JSON.stringify(rows, undefined, 2)
}
