import { Drawer, type DrawerProps } from '@mantine/core'

/** One thing whole, over the screen that it belongs to. */
export function SideDrawer(props: DrawerProps) {
  return <Drawer position="right" {...props} />
}
