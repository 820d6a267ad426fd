import { blame, type Client, objectHistory } from 'orch'
import { deployments } from 'orch/generated/apis/apps/v1/deployment'
import { type ControlPlane, plan } from 'orch/testing'
import { serverController } from './applying.ts'

/** Who changed how many servers there are, and to what, the latest change first. */
export async function replicaChanges(client: Client, name: string): Promise<readonly string[]> {
  const { revisions } = await objectHistory(client.resource(deployments), { name })
  return revisions.flatMap(({ managers, changes }) =>
    changes
      .filter(({ path }) => path === 'spec.replicas')
      .map(({ before, after }) => `${before} -> ${after} by ${managers.join(', ')}`),
  )
}

/** The managers whose fields a Deployment has, each with how many. */
export async function writersOf(
  client: Client,
  name: string,
): Promise<Readonly<Record<string, number>>> {
  const history = await objectHistory(client.resource(deployments), { name })
  const count: Record<string, number> = {}
  for (const { manager } of blame(history)) count[manager] = (count[manager] ?? 0) + 1
  return count
}

/** What the controller would write about what there was at a revision: it is run again on that. */
export async function replayed(plane: ControlPlane, revision: string): Promise<string> {
  await using then = await plane.fork({ at: revision })
  const { text } = await plan(serverController, [], { on: then })
  return text
}
