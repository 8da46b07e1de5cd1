/** Elements of a JMeter test plan, with their properties and the elements in their scope. */
import type { SourcePosition } from '../core/intake/intake.ts';
import type { XmlElement } from './xml-tree.ts';

export interface PlanElement {
  /** Class without its package, such as `ThreadGroup`. */
  readonly type: string;
  readonly name: string;
  readonly at: SourcePosition;
  readonly element: XmlElement;
  /** Enabled elements in the scope of this element. */
  readonly children: readonly PlanElement[];
}

/** Returns the enabled elements of a `hashTree`: each element is followed by the `hashTree` of its scope. */
export function planElements(tree: XmlElement | undefined): readonly PlanElement[] {
  const found: PlanElement[] = [];
  const items = tree?.children ?? [];
  items.forEach((element, index) => {
    if (element.name === 'hashTree' || element.attributes['enabled'] === 'false') return;
    const next = items[index + 1];
    const type = element.attributes['testclass'] ?? element.name;
    found.push({
      type: type.replace(/^.*\./, ''),
      name: element.attributes['testname'] ?? '',
      at: element.at,
      element,
      children: planElements(next?.name === 'hashTree' ? next : undefined),
    });
  });
  return found;
}

export function propertyNode(element: XmlElement, name: string): XmlElement | undefined {
  const found = element.children.find((child) => child.attributes['name'] === name);
  // Some properties contain their name in a child element `name`. In some versions of JMeter, the element has the name
  // of the property.
  return (
    found ??
    element.children.find((child) =>
      child.children.some((one) => one.name === 'name' && one.text === name),
    ) ??
    element.children.find((child) => child.name === name)
  );
}

export function propertyOf(element: XmlElement, name: string): string {
  return propertyNode(element, name)?.text ?? '';
}

/** Returns the members of the collection at a path of property names. */
export function membersOf(element: XmlElement, ...path: readonly string[]): readonly XmlElement[] {
  let found: XmlElement | undefined = element;
  for (const name of path) found = found === undefined ? undefined : propertyNode(found, name);
  return found?.children ?? [];
}
