import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../codegen/main.ts'
import { ownServer, protobufCodecOf, publicScheme } from '../../tools/compare/own-server.ts'
import type { Answer, ComparedServer } from '../../tools/compare/server.ts'

/** What the comparison with another server left: the cases of a golden file. */
export function recordedCases<T>(file: string): readonly T[] {
  return JSON.parse(readFileSync(join(packageRoot, 'test/golden', file), 'utf8'))
}

/** Our server under the public names, with a namespace for the cases where they need one. */
export async function startComparedServer(namespace?: string): Promise<ComparedServer> {
  const scheme = await publicScheme()
  const server = await ownServer(scheme, await protobufCodecOf(scheme))
  if (namespace === undefined) return server
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  await server.run([{ method: 'POST', path: '/api/v1/namespaces', body }])
  return server
}

/** The causes of an error, in their order; none for an answer that has no causes. */
export function causesOf(
  answer: Pick<Answer, 'text'> | undefined,
): readonly { readonly field: string; readonly reason: string; readonly message: string }[] {
  return JSON.parse(answer?.text ?? '{}').details?.causes ?? []
}
