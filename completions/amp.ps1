# PowerShell completion for amp, which is asked at each Tab. Printed by: amp completion powershell
Register-ArgumentCompleter -Native -CommandName amp, amp-admin -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    # An empty word would not be passed.
    $current = if ($wordToComplete -eq '') { ' ' } else { $wordToComplete }
    & $commandAst.GetCommandName() __complete @words $current 2>$null | ForEach-Object {
        $word, $about = $_.Split("`t", 2)
        if ($word -ceq ':files') {
            $before = [regex]::Match($wordToComplete, '^--[^=]*=').Value
            foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete.Substring($before.Length))) {
                [System.Management.Automation.CompletionResult]::new($before + $file.CompletionText, $file.ListItemText, $file.ResultType, $file.ToolTip)
            }
        } elseif ($word.StartsWith($wordToComplete, [StringComparison]::Ordinal)) {
            $text = if ($word -match '^[\w.:/%+=-]+$') { $word } else { "'" + ($word -replace "['\u2018-\u201b]", '$0$0') + "'" }
            [System.Management.Automation.CompletionResult]::new($text, $word, 'ParameterValue', $(if ($about) { $about } else { $word }))
        }
    }
}
