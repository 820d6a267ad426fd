/** What is told of the node itself. */
import type { Node } from '../../generated/apis/core/v1/node.ts'
import type { NodePressure, NodeState, PodSink } from '../../runtime/agent/agent.ts'
import type { Stored } from '../../runtime/kernel/meta/object.ts'

/** Tells events of a node, which are known by its name. */
export function nodeEvents({ tellEvent }: PodSink, name: string) {
  const metadata = { name, uid: name, resourceVersion: '' }
  const node = { kind: 'Node', apiVersion: 'v1', metadata } as unknown as Stored<Node>
  return (type: 'Normal' | 'Warning', reason: string, message: string) =>
    tellEvent(node, { type, reason, message })
}

const words: Readonly<Record<keyof NodePressure, readonly [has: string, hasNot: string]>> = {
  memory: ['NodeHasInsufficientMemory', 'NodeHasSufficientMemory'],
  disk: ['NodeHasDiskPressure', 'NodeHasNoDiskPressure'],
  pids: ['NodeHasInsufficientPID', 'NodeHasSufficientPID'],
}

/** Looks at the node, and tells what is not as it was. */
export function stateOf(
  look: () => Promise<NodeState>,
  tell: (reason: string) => void,
): () => Promise<NodeState> {
  let before: ReadonlySet<string> = new Set()
  return async () => {
    const state = await look()
    const now = new Set([
      ...(Object.keys(words) as (keyof NodePressure)[]).map(
        (name) => words[name][state.pressure[name] ? 0 : 1],
      ),
      state.problem === '' ? 'NodeReady' : 'NodeNotReady',
    ])
    for (const reason of now) if (!before.has(reason)) tell(reason)
    before = now
    return state
  }
}
