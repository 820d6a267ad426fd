/** `orch who-can`: who may do something, and through which binding. */
import type { Terminal } from '../../../daemons/run.ts'
import { ruleAllows } from '../../../runtime/auth/auth.ts'
import { type ClientLine, type Row, runClientCommand, sharedHelp } from '../client-command.ts'
import { type Asked, askedOf, type Rights, rightsOf } from './rights.ts'

const help = `Tells who may do something, and through which binding.

Usage:
  orch who-can VERB RESOURCE [NAME] [-n NS] [flags]

  orch who-can delete pods -n shop
  orch who-can get secrets db-password -n shop
  orch who-can create pods/exec -n shop
  orch who-can get /metrics

Without a namespace, only those are told who may do it in every namespace. Rights that do not come from roles, such as those of
the group system:masters, are not among them; "orch why-denied" asks the server itself.

Flags:
${sharedHelp}`

/** Runs the command. 0: told; 1: the server cannot be asked; 2: the command line is wrong. */
export function runWhoCan(terminal: Terminal): Promise<number> {
  return runClientCommand({ name: 'who-can', help }, terminal, whoCan)
}

async function whoCan({ words, values, connected, failed, show }: ClientLine): Promise<number> {
  if (words.length < 2 || words.length > 3) return failed(2, 'name a verb and a resource')
  const client = await connected()
  const asked = await askedOf(client, words, String(values.namespace))
  show(subjectsOf(await rightsOf(client), asked))
  return 0
}

/** A row for each subject of a binding that allows it. */
export function subjectsOf({ index }: Rights, asked: Asked): readonly Row[] {
  const attributes = { user: { username: '', groups: [] }, ...asked }
  const rows: Row[] = []
  for (const { namespace, name, roleRef, subjects } of index.bindings()) {
    if (namespace !== '' && namespace !== asked.namespace) continue
    const rules = index.rulesOf(roleRef, namespace) ?? []
    if (!rules.some((rule) => ruleAllows(rule, attributes))) continue
    for (const subject of subjects) {
      const account = subject.kind === 'ServiceAccount'
      const who = account ? `${subject.namespace || namespace}/${subject.name}` : subject.name
      rows.push({
        kind: subject.kind,
        name: who,
        through: throughOf(namespace, name),
        role: roleRef.name,
      })
    }
  }
  return rows.sort((a, b) => (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1))
}

/** A binding in one word. */
export function throughOf(namespace: string, name: string): string {
  return namespace === '' ? `ClusterRoleBinding/${name}` : `RoleBinding/${namespace}/${name}`
}
