module dragontooth

go 1.19
