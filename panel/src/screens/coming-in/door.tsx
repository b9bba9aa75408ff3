import { Box, Center, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import icon from '../../icon.svg'
import { useWindowTitle } from '../../parts/screen.tsx'
import { LanguageSelect } from '../../parts/shell.tsx'

/** What stands around the screens before the session. */
export function Door({ title, children }: { title: string; children: ReactNode }) {
  useWindowTitle(title)
  return (
    <Center mih="100vh" p="md" component="main" id="content" tabIndex={-1} style={{ outline: 'none' }}>
      <Stack w="100%" maw={400} gap="lg">
        <Group gap="sm">
          <img src={icon} width={36} height={36} alt="" />
          <Text fw={700} size="xl">
            Lastcall
          </Text>
          <Box ml="auto" w={110}>
            <LanguageSelect />
          </Box>
        </Group>
        <Paper withBorder p="xl" shadow="sm" style={{ overflowWrap: 'anywhere' }}>
          <Stack>
            <Title order={1} size="h3">
              {title}
            </Title>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  )
}
