import type { ObjectUpdate, ObjectWrite } from './object-write.ts'

/** Allocates what the object has of ranges that all objects of its kind share. @throws StatusError Invalid if it is taken. */
export async function allocate<W extends ObjectWrite>(write: W): Promise<W> {
  const { context, target } = write
  if (context.allocations === undefined || target.subresource !== undefined) return write
  const { old } = write as Partial<ObjectUpdate>
  const object = await context.allocations.allocate(write.object, old)
  return object === write.object ? write : { ...write, object, amended: true }
}

/**
 * What cannot be allocated is told before what is wrong with the object otherwise, as public servers do.
 *
 * @throws StatusError Invalid.
 */
export async function refuseAllocation({ context, target, ...write }: ObjectWrite): Promise<void> {
  if (context.allocations === undefined || target.subresource !== undefined) return
  await context.allocations.judge(write.object, (write as Partial<ObjectUpdate>).old)
}
